import type { Server } from 'node:http';
import { isIP, isIPv4, type ListenOptions } from 'node:net';
import type { OptionChecks } from '@sigil/core/internal';
import { LOOPBACK_HOSTS } from './options.js';

/** Returns the port that a server listens on; 0 if the server does not listen. */
export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Makes a server listen. Rejects if the server cannot listen. @param group the prefix of option names in error
 * messages, such as `metrics.`.
 */
export function listen(server: Server, where: ListenOptions, group = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(unableToListen(error, where, group));
    server.once('error', fail);
    server.listen(where, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

/** Returns the advice to choose another port or host. */
function otherOne(option: 'port' | 'host', group: string): string {
  if (group !== '') return `set another ${option} with the option ${group}${option} of http()`;
  return `set another ${option} with --${option} or ${option.toUpperCase()}, or with the option ${option} of http() if the program passes http() to app.run()`;
}

/** The reasons why a server cannot listen, with their fixes, by error code. */
const LISTEN_PROBLEMS: Readonly<Record<string, (group: string) => string>> = {
  EADDRINUSE: (group) => `another program uses this address. End that program, or ${otherOne('port', group)}`,
  EACCES: (group) =>
    `this user has no permission to listen on this port. To use a port of 1024 or more, ${otherOne('port', group)}`,
  EADDRNOTAVAIL: (group) => `this machine has no such address: ${otherOne('host', group)}`,
  ENOTFOUND: (group) => `this host is unknown: ${otherOne('host', group)}`,
};

/**
 * Adds the known fix to an error from `listen`. The new error has no stack, because no frame would be in the author's
 * code.
 */
function unableToListen(error: NodeJS.ErrnoException, { port, host }: ListenOptions, group: string): Error {
  const { code = '' } = error;
  const problem = LISTEN_PROBLEMS[code];
  if (problem === undefined) return error;
  const what = `The server cannot listen on port ${port} of ${host}: ${problem(group)} [${code}]`;
  const told = new Error(what);
  Object.defineProperty(told, 'code', { value: code });
  told.stack = `${told.name}: ${told.message}`;
  return told;
}

/** Whether a value is a host name or IP address that a server can listen on. Reports any other value to `checks`. */
export function isListenHost(option: string, host: unknown, checks: OptionChecks): host is string {
  if (typeof host !== 'string') checks.refuse(option, 'it must be a string, such as 127.0.0.1');
  else if (host.trim() === '')
    checks.refuse(option, 'it must not be empty', 'use an address, such as 127.0.0.1, or leave it out');
  else if (/[\s/:[\]]/.test(host) && !isIP(host))
    checks.refuse(
      option,
      `'${host}' is neither a host name nor an IP address`,
      'leave out scheme, brackets and port, as in localhost, 127.0.0.1 or ::1; set the port with the option port, with --port, or with the variable PORT',
    );
  else return true;
  return false;
}

/**
 * Returns the host names that clients on this machine can use for a server on a loopback host. @returns `undefined` if
 * the host is not a loopback host: other machines can then reach the server.
 */
export function loopbackNames(host: string): readonly string[] | undefined {
  if (host === '::1' || LOOPBACK_HOSTS.includes(host.toLowerCase())) return LOOPBACK_HOSTS;
  return isIPv4(host) && host.startsWith('127.') ? [...LOOPBACK_HOSTS, host] : undefined;
}
