import { describe, expect, test } from '@jest/globals';
import { MemoryTaskStore } from '../../src/index.js';
import { stored, taskStoreContract } from '../fixtures/task-store-contract.js';

taskStoreContract('MemoryTaskStore', () => new MemoryTaskStore());

describe('a full MemoryTaskStore', () => {
  test('refuses new tasks and keeps those it has', () => {
    const store = new MemoryTaskStore({ maxTasks: 1 });
    store.create(stored('a'));
    expect(() => store.create(stored('b'))).toThrow('More than 1 tasks are kept');
    expect(store.get('a')).toBeDefined();
    expect(store.size).toBe(1);
  });

  test('has room again when a task has expired', async () => {
    const store = new MemoryTaskStore({ maxTasks: 1 });
    store.create(stored('a', { expiresAt: Date.now() + 10 }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    store.create(stored('b'));
    expect(store.size).toBe(1);
  });

  test('refuses a version that is too long, and keeps the one before it', () => {
    const store = new MemoryTaskStore({ maxLength: 1000 });
    store.create(stored('a'));
    const long = stored('a', { version: 2, result: { text: 'x'.repeat(1000) } });
    expect(() => store.replace(long)).toThrow('The tasks take more than 1000 characters');
    expect(store.get('a')).toMatchObject({ version: 1 });
  });

  test('counts what replaced versions no longer take', () => {
    const store = new MemoryTaskStore({ maxLength: 1000 });
    store.create(stored('a', { tool: 'x'.repeat(500) }));
    for (let version = 2; version < 20; version += 1) {
      expect(store.replace(stored('a', { version, tool: 'y'.repeat(500) }))).toBe(true);
    }
  });
});
