import { describe, expect, test } from '@jest/globals';
import { type Guard, inject, LIMITER, Service, Tool, UseGuards } from '../../src/index.js';
import { memoryBackend } from '../../src/backend.js';
import { appOf, statelessClient, textOf } from '../harness.js';

@Service()
class FewCalls implements Guard {
  private readonly limiter = inject(LIMITER);

  allows(): boolean {
    return true;
  }

  async permits(): Promise<boolean> {
    return (await this.limiter.take('calls', { limit: 2, windowMs: 60_000 })).allowed;
  }
}

class Shop {
  @Tool({ description: 'Orders' })
  @UseGuards(FewCalls)
  order(): string {
    return 'ordered';
  }
}

describe('the limiter of an app', () => {
  const options = { services: [Shop], guards: [], state: { keys: ['k'.repeat(32)] } };

  test('counts in all apps that share a backend', async () => {
    const backend = memoryBackend();
    const [one, other] = [await appOf({ ...options, backend }), await appOf({ ...options, backend })];
    expect(textOf(await statelessClient(one).call('order'))).toBe('ordered');
    expect(textOf(await statelessClient(other).call('order'))).toBe('ordered');
    expect(await statelessClient(one).call('order')).toMatchObject({ isError: true });
  });

  test('counts in one app where there is none', async () => {
    const client = statelessClient(await appOf(options));
    for (let call = 0; call < 2; call += 1) expect(textOf(await client.call('order'))).toBe('ordered');
    expect(await client.call('order')).toMatchObject({ isError: true });
  });
});
