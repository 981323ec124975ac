import { DefinitionError } from '../errors/definition-error.js';
import type { Runtime } from '../transport/contract.js';
import { hostArguments, hostVariable } from './host.js';

interface RuntimeModule {
  stdio?(): Runtime;
  http?(options: { port?: number; host?: string }): Runtime;
}

/**
 * Chooses the runtime the way programs are configured: `--http`, `--port N`, `--host H` or `--stdio` among the arguments,
 * else the environment variables `MCP_TRANSPORT`, `PORT` and `HOST`, else stdio.
 *
 * @throws DefinitionError when the package of the runtime is not installed, or the port is none.
 */
export async function chooseRuntime(): Promise<Runtime> {
  const args = hostArguments();
  const wantsHttp =
    args.includes('--http') || (!args.includes('--stdio') && hostVariable('MCP_TRANSPORT') === 'http');
  if (!wantsHttp) {
    const module = await load('@sigil/stdio');
    if (module.stdio) return module.stdio();
    throw missing('@sigil/stdio');
  }
  const module = await load('@sigil/http');
  if (!module.http) throw missing('@sigil/http');
  const port = valueAfter(args, '--port') ?? hostVariable('PORT');
  const host = valueAfter(args, '--host') ?? hostVariable('HOST');
  return module.http({
    ...(port === undefined ? {} : { port: readPort(port) }),
    ...(host === undefined ? {} : { host }),
  });
}

async function load(name: string): Promise<RuntimeModule> {
  try {
    return (await import(name)) as RuntimeModule;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') throw missing(name, error);
    throw error;
  }
}

function valueAfter(args: readonly string[], flag: string): string | undefined {
  const index = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  if (index < 0) return undefined;
  return args[index]?.startsWith(`${flag}=`) ? args[index].slice(flag.length + 1) : (args[index + 1] ?? '');
}

function readPort(text: string): number {
  const port = Number(text);
  if (text !== '' && Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  const what = `'${text}' is no port`;
  throw new DefinitionError([
    {
      code: 'SIGIL_INVALID_OPTIONS',
      where: '--port',
      what,
      fix: 'give a number from 0 (any free port) to 65535',
    },
  ]);
}

function missing(name: string, cause?: unknown): DefinitionError {
  const problem = {
    code: 'SIGIL_NO_RUNTIME' as const,
    where: 'app.run()',
    what: `the package ${name} is not installed`,
    fix: `npm install ${name}, or name a runtime in code: app.run(…)`,
  };
  return new DefinitionError([problem], { cause });
}
