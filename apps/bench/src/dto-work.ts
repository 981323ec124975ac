import { createApp, defineTool } from '@sigil/core';
import { META } from '@sigil/core/transport';
import { plainToInstance, Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsInt,
  IsString,
  MaxLength,
  Min,
  ValidateNested,
  validate,
} from 'class-validator';
import { median } from './median.js';

/**
 * Validates one DTO again and again, by calls of a tool and by what one would write without: `plainToInstance` and `validate`.
 * Prints as JSON the nanoseconds that a call took, one of a tool that checks nothing, and the work by hand.
 */

class Place {
  @IsString() @MaxLength(80) street!: string;
  @IsString() @MaxLength(80) city!: string;
}

class Booking {
  @IsString() @MaxLength(80) name!: string;
  @IsInt() @Min(1) guests!: number;
  @IsBoolean() vegetarian!: boolean;
  @ValidateNested() @Type(() => Place) place!: Place;
  @IsArray() @IsString({ each: true }) tags!: string[];
}

const booking = {
  name: 'Ada',
  guests: 4,
  vegetarian: true,
  place: { street: '1 Rue', city: 'Paris' },
  tags: ['quiet', 'window', 'evening'],
};
const WARM_UP_MS = 1000;
const TURNS = 15;
const SLICE_MS = 100;

let answered = 0;
const app = await createApp({
  name: 'bench',
  version: '1.0.0',
  definitions: [
    defineTool({
      name: 'book',
      input: Booking,
      handle: (given) => {
        if (!(given.place instanceof Place)) throw new Error('no instance was made');
        return 'booked';
      },
    }),
    defineTool({ name: 'take', unknownProperties: 'keep', handle: () => 'booked' }),
  ],
});
const peer = app.endpoint.connect();
const outlet = {
  send: () => undefined,
  end: (message: string) => {
    if (!message.includes('"booked"')) throw new Error(message);
    answered += 1;
  },
};
const _meta = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} };

function callOf(name: string): () => Promise<void> {
  const params = { name, arguments: booking, _meta };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return async () => {
    const before = answered;
    peer.receive(call, outlet);
    // The first call compiles the validator; all others are answered at once.
    if (answered === before) await new Promise((resolve) => setTimeout(resolve, 500));
  };
}

async function byHand(): Promise<void> {
  const errors = await validate(plainToInstance(Booking, booking), { whitelist: true });
  if (errors.length > 0) throw new Error(String(errors));
}

async function nanoseconds(work: () => Promise<void>, forMs: number): Promise<number> {
  const began = process.hrtime.bigint();
  const end = performance.now() + forMs;
  let times = 0;
  while (performance.now() < end) {
    for (let batch = 0; batch < 100; batch += 1) await work();
    times += 100;
  }
  return Number(process.hrtime.bigint() - began) / times;
}

const work = { checked: callOf('book'), unchecked: callOf('take'), byHand };
for (const one of Object.values(work)) await nanoseconds(one, WARM_UP_MS);
const slices = Object.entries(work).map(([name, one]) => ({ name, one, measured: [] as number[] }));
// In turns, so that what else the machine does meets all alike.
for (let turn = 0; turn < TURNS; turn++)
  for (const { one, measured } of slices) measured.push(await nanoseconds(one, SLICE_MS));
process.stdout.write(
  JSON.stringify(Object.fromEntries(slices.map(({ name, measured }) => [name, median(measured)]))),
);
