/**
 * What `sigil build` leaves out of its file, because no code of the program names it: it writes `true` for these members of `globalThis`,
 * so they have to be read from there in so many words, and its bundler drops what cannot be reached then. Elsewhere they are undefined.
 */
export interface LeftOut {
  /** What describes values: every definition was there when the file was built, and its plans are in the file. */
  readonly SIGIL_ALL_KNOWN?: true;
  /** Keywords that no schema of the file has, which are few in most programs. */
  readonly SIGIL_WITHOUT_RARE_KEYWORDS?: true;
  /** What finds out how to run patterns that are not plain, and runs those which the native engine cannot: no schema of the file has one. */
  readonly SIGIL_WITHOUT_PATTERN_ENGINE?: true;
  /** Questions of handlers to their clients. */
  readonly SIGIL_WITHOUT_QUESTIONS?: true;
  /** Modules of an app. */
  readonly SIGIL_WITHOUT_MODULES?: true;
  /** Who calls over HTTP. */
  readonly SIGIL_WITHOUT_AUTHENTICATION?: true;
  /** Tools that run as tasks. */
  readonly SIGIL_WITHOUT_TASKS?: true;
  /** UIs of tools. */
  readonly SIGIL_WITHOUT_UI?: true;
  /** The choice of a runtime by the arguments of the program. */
  readonly SIGIL_WITHOUT_RUNTIMES?: true;
  /** Classes that are discovered in folders. */
  readonly SIGIL_WITHOUT_DISCOVERY?: true;
  /** What processes share over HTTP. */
  readonly SIGIL_WITHOUT_SHARING?: true;
  /** HTTP+SSE of 2024-11-05. */
  readonly SIGIL_WITHOUT_SSE?: true;
}

/**
 * The error of a program that asks for what was left out.
 *
 * @param what such as `the option "sse"`.
 * @example
 * ```ts
 * if ((globalThis as LeftOut).SIGIL_WITHOUT_SSE) throw leftOut('the option "sse"');
 * ```
 */
export function leftOut(what: string): Error {
  return new Error(
    `${what} was left out of this file, because no code of the program names it: name it there, or build with --whole`,
  );
}
