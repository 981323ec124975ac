/** The contents of `catalog.json`. */
export interface CatalogFile {
  readonly categories: readonly {
    readonly id: string;
    readonly name: string;
    readonly description: string;
  }[];
  readonly warehouses: readonly { readonly code: string; readonly city: string; readonly country: string }[];
  readonly products: readonly FiledProduct[];
  readonly orders: readonly FiledOrder[];
}

interface FiledProduct {
  readonly sku: string;
  readonly name: string;
  readonly category: string;
  readonly priceCents: number;
  readonly weightGrams: number;
  readonly description: string;
  /** Quantities by the code of the warehouse. */
  readonly stock: Readonly<Record<string, number>>;
}

interface FiledOrder {
  readonly orderId: string;
  readonly customer: string;
  /** ISO 8601. */
  readonly placedAt: string;
  readonly status: string;
  readonly items: readonly {
    readonly sku: string;
    readonly quantity: number;
    readonly unitPriceCents: number;
  }[];
}
