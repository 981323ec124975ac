import { LOOPBACK_HOSTS, type ResolvedOptions } from './options.js';

/** Decides whose requests are served, against DNS rebinding and foreign pages. */
export class OriginCheck {
  readonly #hosts: readonly string[] | '*';
  readonly #origins: readonly string[];
  // Clients name the same host again and again; the last one let in needs no second look.
  #lastHost: string | undefined;

  constructor({ allowedHosts, allowedOrigins }: ResolvedOptions) {
    this.#hosts = allowedHosts;
    this.#origins = allowedOrigins;
  }

  /** Whether `Host` names a host this server answers for. */
  allowsHost(host: string | undefined): boolean {
    if (this.#hosts === '*') return true;
    if (host === undefined) return false;
    if (host === this.#lastHost) return true;
    const allowed = this.#hosts.includes(hostnameOf(host));
    if (allowed) this.#lastHost = host;
    return allowed;
  }

  /**
   * Whether a page of this origin may call (2026-07-28, basic/transports/streamable-http, "Security & Endpoint").
   * Programs send no origin and pass; a page needs to be on the list, or of this machine when the server answers for
   * this machine alone.
   */
  allowsOrigin(origin: string | undefined): boolean {
    if (origin === undefined || this.#origins.includes(origin)) return true;
    const hostname = hostnameOf(/^https?:\/\/([^/]+)$/i.exec(origin)?.[1] ?? '');
    return LOOPBACK_HOSTS.includes(hostname) && this.#hosts !== '*' && this.#hosts.includes(hostname);
  }
}

function hostnameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '');
}
