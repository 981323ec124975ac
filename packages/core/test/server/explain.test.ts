import { explain } from '../../src/manifest.js';
import { describe, expect, test } from '@jest/globals';
import {
  type GuardContext,
  createApp,
  defineTool,
  type Guard,
  Param,
  Prompt,
  Resource,
  Service,
  Tool,
  UseGuards,
  TaskSupport,
} from '../../src/index.js';
import { isInspected } from '../../src/server/platform.js';
import { answerQuestion } from '../../src/server/inspect.js';
import { appOf } from '../harness.js';

class SignedIn implements Guard {
  allows({ principal }: GuardContext) {
    return principal !== undefined;
  }
}
const isAdmin = async ({ principal }: GuardContext) => principal?.scopes?.includes('admin') === true;

@UseGuards(SignedIn)
class Vault {
  @Tool()
  @UseGuards(isAdmin)
  openVault() {
    return 'open';
  }
  @Tool()
  @TaskSupport('required')
  countMoney() {
    return 1;
  }
  @Resource('vault://boxes/{id}')
  box(@Param('id') id: string) {
    return id;
  }
  @Prompt()
  advise() {
    return 'Save';
  }
}

describe('explain()', () => {
  test.each([
    ['a client without a principal', undefined, 'SignedIn'],
    ['a principal', { id: 'bob' }, 'isAdmin'],
    ['an allowed principal', { id: 'ada', scopes: ['admin'] }, undefined],
  ])('names the guards of a tool, and the first that refuses %s', async (_, principal, refusedBy) => {
    const app = await appOf({ services: [Vault] });
    const { refusedBy: found, ...explanation } = await explain(app, 'open_vault', principal);
    expect(found).toBe(refusedBy);
    expect(explanation).toEqual({
      format: 'sigil-explanation/1',
      name: 'open_vault',
      kind: 'tool',
      where: 'Vault.openVault',
      nearest: [],
      hiddenFromSessions: false,
      guards: ['SignedIn', 'isAdmin'],
    });
  });

  test('says that a tool is hidden from clients with sessions', async () => {
    const app = await appOf({ services: [Vault] });
    expect(await explain(app, 'count_money')).toMatchObject({ hiddenFromSessions: true });
  });

  test.each([
    ['advise', 'prompt'],
    ['vault://boxes/{id}', 'template'],
    ['vault://boxes/7', 'template'],
  ])('knows %s as a %s', async (name, kind) => {
    const app = await appOf({ services: [Vault] });
    expect(await explain(app, name)).toMatchObject({ kind, guards: ['SignedIn'], refusedBy: 'SignedIn' });
  });

  test('names what else a name may have meant', async () => {
    const app = await appOf({ services: [Vault] });
    expect(await explain(app, 'openVaults')).toMatchObject({ nearest: ['open_vault'], guards: [] });
    expect((await explain(app, '__proto__')).kind).toBeUndefined();
  });

  test('counts a guard that fails as one that refuses, and gives one without a name its place', async () => {
    const guards = [
      () => true,
      () => {
        throw new Error('broken');
      },
    ];
    const app = await appOf({ definitions: [defineTool({ name: 'x', guards, handle: () => 1 })] });
    expect(await explain(app, 'x')).toMatchObject({ refusedBy: 'guard 2, which has no name' });
  });

  test('disposes of what was made for it', async () => {
    const disposed: string[] = [];
    @Service({ scope: 'request' })
    class Watch implements Guard {
      allows() {
        return true;
      }
      destroy() {
        disposed.push('watch');
      }
    }
    const app = await appOf({ definitions: [defineTool({ name: 'x', guards: [Watch], handle: () => 1 })] });
    await explain(app, 'x');
    expect(disposed).toEqual(['watch']);
  });
});

describe('a program that is inspected', () => {
  const ask = async (env: Record<string, string>) => {
    Object.assign(process.env, env);
    try {
      const isAsked = isInspected();
      const app = await createApp({ name: 'vault', version: '1.0.0', services: [Vault] });
      return isAsked ? await answerQuestion(app) : undefined;
    } finally {
      for (const name of Object.keys(env)) Reflect.deleteProperty(process.env, name);
    }
  };

  test('serves when nothing is asked', async () => {
    expect(await ask({})).toBeUndefined();
    expect(await ask({ SIGIL_INSPECT: '' })).toBeUndefined();
  });

  test('answers with its manifest', async () => {
    const answer = JSON.parse((await ask({ SIGIL_INSPECT: 'manifest' })) ?? '');
    expect(answer).toMatchObject({ format: 'sigil-manifest/1', server: { name: 'vault' } });
  });

  test('answers why a principal does not see a tool', async () => {
    const SIGIL_INSPECT_PRINCIPAL = '{"id":"bob"}';
    const answer = await ask({
      SIGIL_INSPECT: 'why',
      SIGIL_INSPECT_NAME: 'open_vault',
      SIGIL_INSPECT_PRINCIPAL,
    });
    expect(JSON.parse(answer ?? '')).toMatchObject({ refusedBy: 'isAdmin' });
  });

  test.each([
    ['SIGIL_INSPECT', { SIGIL_INSPECT: 'how' }],
    ['SIGIL_INSPECT_PRINCIPAL', { SIGIL_INSPECT: 'why', SIGIL_INSPECT_PRINCIPAL: 'bob' }],
    ['SIGIL_INSPECT_PRINCIPAL', { SIGIL_INSPECT: 'why', SIGIL_INSPECT_PRINCIPAL: '{}' }],
  ])('refuses what is no question: %s', async (where, env) => {
    await expect(ask(env)).rejects.toMatchObject({ code: 'SIGIL_INVALID_OPTIONS', problems: [{ where }] });
  });
});
