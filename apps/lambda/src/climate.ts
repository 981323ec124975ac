import { type App, createApp, Describe, Service, Tool, ToolContext } from '@sigil/core';
import { IsInt, IsString, Max, Min } from 'class-validator';

class Measurement {
  @Describe('Name of the warehouse')
  @IsString()
  warehouse!: string;

  @Describe('How many measurements to take')
  @IsInt()
  @Min(1)
  @Max(20)
  times!: number;
}

class Climate {
  @IsString() warehouse!: string;
  /** In degrees Celsius. */
  @IsInt() mean!: number;
}

/** How long the thermometers take for one measurement, in milliseconds. */
const MEASURE_MS = 50;

/** Measures the climate of warehouses. */
@Service()
class Warehouses {
  @Tool({
    description: 'Mean temperature of a warehouse, in degrees Celsius',
    readOnly: true,
    output: Climate,
  })
  async measure({ warehouse, times }: Measurement, ctx: ToolContext): Promise<Climate> {
    let sum = 0;
    for (let taken = 0; taken < times; taken++) {
      ctx.progress(taken, times, `Measuring in ${warehouse}`);
      ctx.signal.throwIfAborted();
      sum += await temperatureIn(warehouse);
    }
    return { warehouse, mean: Math.round(sum / times) };
  }
}

async function temperatureIn(warehouse: string): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, MEASURE_MS));
  return 10 + (warehouse.length % 10);
}

/**
 * Creates the app that both Lambda functions serve. The next request of a client can reach another instance of the
 * function. So all instances encrypt the `requestState` with the same key.
 */
export function createClimate(): Promise<App> {
  return createApp({
    name: 'climate',
    version: '1.0.0',
    services: [Warehouses],
    state: { keys: [process.env['STATE_KEY'] ?? ''] },
  });
}

/** The host names that clients use for the functions. */
export const hosts: readonly string[] = (process.env['HOSTS'] ?? 'localhost').split(',');
