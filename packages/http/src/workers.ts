import type { Address, Cluster, Worker } from 'node:cluster';
import type { Logger } from '@sigil/core';
import type { Endpoint, RunningRuntime } from '@sigil/core/transport';
import { EXIT_CODES, exitAfter } from '@sigil/node';

/**
 * The environment variable that is set in worker processes. Its value is a common key for request states.
 * Without a backend, workers do not use features that need one.
 */
const WORKER_KEY = 'SIGIL_WORKER_KEY';
/**
 * The environment variable with the number of a worker, starting at 0. A worker that replaces another one has
 * the same number.
 */
const WORKER_NUMBER = 'SIGIL_WORKER_NUMBER';
const CLOSE = 'sigil:close';

/** How long the first worker may take to listen, in milliseconds. After that, the start has failed. */
const START_MS = 60_000;
/**
 * Minimum run time of a healthy worker, in milliseconds. A worker that ends sooner is replaced after an
 * increasing delay.
 */
const HEALTHY_MS = 10_000;
const LONGEST_DELAY_MS = 10_000;

/**
 * Whether this process must start workers, and serve no requests itself: true in the primary process if `workers` is
 * more than 1.
 */
export async function startsWorkers(workers: number): Promise<boolean> {
  return workers > 1 && (await loadCluster()).isPrimary;
}

/**
 * Whether this process is a worker: one of several processes that a program has started to serve on one port.
 */
export function isWorker(): boolean {
  return process.env[WORKER_KEY]?.startsWith(`${process.ppid}:`) === true;
}

/** Returns the number of this worker, starting at 0. A process that is not a worker gets 0. */
export function workerNumber(): number {
  return isWorker() ? Number(process.env[WORKER_NUMBER]) : 0;
}

/**
 * Loads `node:cluster`. Few programs need it, and it takes longer to load than all Node modules of a stdio
 * server.
 */
async function loadCluster(): Promise<Cluster> {
  return (await import('node:cluster')).default;
}

/**
 * In a worker, calls `close` when the primary process asks for it or has ended. `close` can be called several times,
 * because a signal can reach every process.
 *
 * @param handlesSignals whether SIGTERM and SIGINT to the worker also call `close`.
 * @returns a function that removes the listeners and disconnects the worker from the primary process.
 */
export async function closeWithPrimary(
  close: () => Promise<void>,
  handlesSignals: boolean,
): Promise<() => void> {
  const cluster = await loadCluster();
  const end = (): void => void close();
  const told = (message: unknown): void => void (message === CLOSE && end());
  // Node would end a worker at once when its primary is gone, in the middle of its work.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.on('message', told).on('disconnect', end);
  if (handlesSignals) process.on('SIGTERM', end).on('SIGINT', end);
  return () => {
    process.off('SIGTERM', end).off('SIGINT', end).off('message', told).off('disconnect', end);
    // The channel to the primary must not keep the program alive. `process.disconnect()` would end it before its
    // services.
    cluster.worker?.disconnect();
  };
}

/**
 * Starts worker processes that run this program and serve requests on one port. A worker that ends unexpectedly is
 * replaced.
 *
 * @param count how many workers to start.
 * @param rules `closeMs`: how long a worker needs to close, in milliseconds. A worker is killed if it has not closed
 *   after twice this time plus 10 seconds. `handleSignals`: whether SIGTERM and SIGINT close the workers.
 * @param address a function that receives the common port of the workers, and returns the URL of the server.
 * @returns a promise that resolves when the first worker listens.
 * @throws Error when a worker ends before any worker listens, or when no worker listens within 60 seconds.
 */
export async function runWorkers(
  { logger }: Endpoint,
  count: number,
  rules: WorkerRules,
  address: (port: number) => string,
): Promise<RunningRuntime> {
  const pool = new WorkerPool(await loadCluster(), logger, rules);
  for (let at = 0; at < count; at += 1) pool.fork(at, 0);
  const { port } = await pool.listening;
  const served = address(port);
  logger.info({ address: served, workers: count }, 'listens with several workers on one port');
  return {
    address: served,
    closed: pool.closed,
    close: () => pool.close(),
    appCloses: (disposed) => void (pool.isSignalled && exitAfter(process, disposed)),
  };
}

/** How workers are closed. */
interface WorkerRules {
  /** How long closing may take, in milliseconds. */
  readonly closeMs: number;
  readonly handleSignals: boolean;
}

/** The workers of this program. */
class WorkerPool {
  readonly listening: Promise<Address>;
  readonly closed: Promise<void>;
  readonly #workers = new Set<Worker>();
  // The value contains the process id: a program that a worker starts inherits the variable, but is not a worker.
  readonly #env = { [WORKER_KEY]: `${process.pid}:${crypto.randomUUID()}${crypto.randomUUID()}` };
  #settle: () => void = () => undefined;
  #listens: (address: Address) => void = () => undefined;
  #fails: (error: Error) => void = () => undefined;
  #isListening = false;
  #isClosing = false;
  /** Whether a signal is closing the workers. */
  isSignalled = false;

  constructor(
    private readonly cluster: Cluster,
    private readonly logger: Logger,
    private readonly rules: WorkerRules,
  ) {
    this.closed = new Promise((resolve) => (this.#settle = resolve));
    this.listening = new Promise((resolve, reject) => {
      this.#listens = resolve;
      this.#fails = reject;
      setTimeout(() => reject(new Error(`No worker listened within ${START_MS} ms`)), START_MS).unref();
    });
    if (!rules.handleSignals) return;
    const end = (signal: 'SIGTERM' | 'SIGINT'): void => {
      this.isSignalled = true;
      process.exitCode = EXIT_CODES[signal];
      void this.close();
    };
    process.on('SIGTERM', end).on('SIGINT', end);
    void this.closed.then(() => process.off('SIGTERM', end).off('SIGINT', end));
  }

  /** Starts a worker. @param delayMs how long the start was delayed, in milliseconds. */
  fork(number: number, delayMs: number): void {
    const worker = this.cluster.fork({ ...this.#env, [WORKER_NUMBER]: String(number) });
    const startedAt = Date.now();
    this.#workers.add(worker);
    worker.on('listening', (address) => {
      this.#isListening = true;
      this.#listens(address);
      // A worker receives no message before it listens.
      if (this.#isClosing) worker.send(CLOSE);
    });
    worker.on('error', (error) => this.logger.error({ err: error }, 'a worker could not be reached'));
    worker.on('exit', (code, signal) => {
      this.#workers.delete(worker);
      if (this.#isClosing) return void (this.#workers.size === 0 && this.#settle());
      if (!this.#isListening) return this.#failed(code);
      const next = Date.now() - startedAt > HEALTHY_MS ? 0 : Math.min(LONGEST_DELAY_MS, delayMs * 2 || 100);
      this.logger.error(
        { pid: worker.process.pid, code, signal, delayMs: next },
        'a worker has ended, and another one replaces it',
      );
      setTimeout(() => !this.#isClosing && this.fork(number, next), next);
    });
  }

  /** Makes every worker close, and waits for them. The second call ends them at once. */
  async close(): Promise<void> {
    if (this.#isClosing) {
      for (const worker of this.#workers) worker.process.kill('SIGKILL');
      return this.closed;
    }
    this.#isClosing = true;
    if (this.#workers.size === 0) this.#settle();
    for (const worker of this.#workers) if (worker.isConnected()) worker.send(CLOSE);
    // A worker that hangs is killed: its requests have had twice their time.
    const deadline = setTimeout(
      () => this.#workers.forEach((worker) => worker.process.kill('SIGKILL')),
      2 * this.rules.closeMs + 10_000,
    );
    await this.closed;
    clearTimeout(deadline);
  }

  /** Ends the program, because a program that does not start is not started again. */
  #failed(code: number): void {
    this.#isClosing = true;
    for (const worker of this.#workers) worker.process.kill('SIGKILL');
    this.#fails(
      new Error(`A worker ended with code ${code} before it listened; see its output for the reason`),
    );
    this.#settle();
  }
}
