import { freePort, ServerProcess, until } from './processes.js';

const SERVER = new URL('./fixtures/protected-server.mjs', import.meta.url).pathname;

/** Whether there is an answer, whatever it is. */
export const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

/** A server behind an authorization server. */
export interface Protected {
  readonly address: string;
  readonly process: ServerProcess;
}

/** Starts one. @param options those of `oauth()`. @param env further variables that the fixture reads. */
export async function startProtected(
  { issuer }: { readonly issuer: string },
  options: object = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Protected> {
  const port = Number(env['PORT'] ?? (await freePort()));
  const OPTIONS = JSON.stringify({ issuers: [issuer], ...options });
  const process = new ServerProcess(SERVER, [], { ...env, PORT: String(port), OPTIONS });
  const address = `http://127.0.0.1:${port}/mcp`;
  await until(() => {
    if (process.child.exitCode !== null) throw new Error(process.stderr);
    return answers(address);
  });
  return { address, process };
}
