import { Arg, Inject, Resource, Service, Tool, ToolError } from '@sigil/core';

/** For each zone, the price of a parcel and the price of each started kilogram, in cents. */
export type Tariff = Readonly<Record<string, { readonly parcel: number; readonly kilogram: number }>>;

export const TARIFF = 'tariff';

/** Tools and a resource for the prices of parcels. */
@Service()
export class Parcels {
  constructor(@Inject(TARIFF) private readonly tariff: Tariff) {}

  @Tool({ description: 'List the zones that parcels are sent to', readOnly: true })
  listZones(): string[] {
    return Object.keys(this.tariff);
  }

  @Tool({ description: 'Price of a parcel, in cents', readOnly: true })
  price(@Arg('zone') zone: string, @Arg('grams', { minimum: 1, maximum: 30_000 }) grams: number): number {
    const prices = Object.hasOwn(this.tariff, zone) ? this.tariff[zone] : undefined;
    if (!prices)
      throw new ToolError(`There is no zone ${zone}; the zones are ${this.listZones().join(', ')}`);
    return prices.parcel + Math.ceil(grams / 1_000) * prices.kilogram;
  }

  @Resource('parcels://tariff', { mimeType: 'application/json', description: 'All prices' })
  prices(): Tariff {
    return this.tariff;
  }
}
