import { messageOf } from '@sigil/core/internal';
import { ServerError } from '../failures.js';
import { openPage } from '../login/browser.js';
import type { Screen, Terminal } from '../terminal.js';
import { type ClientSetting, clientSettings, type InspectorStart, inspectorStart } from './clients.js';
import { devLines, panelRows, OTHER_LINES } from './dev-lines.js';
import type { DevLoop, Served } from './dev-loop.js';

/** Changes within this time are drawn together, in milliseconds. */
const DRAW_MS = 50;

/** The page, and functions that `DevTerminal` calls for some keys. For other keys, it calls methods of `DevLoop`. */
export interface DevActions {
  /** The link to the page, if a page is served. */
  readonly pageUrl: string | undefined;
  /** Called for the key `q`. Ends `sigil dev` with exit code 0. A second call kills the compiler and the server. */
  quit(): void;
  /** Ends `sigil dev` as Ctrl-C does. */
  interrupt(): void;
  /** Opens a page in a browser. @default opens the page in the user's browser */
  open?(url: string): void;
}

/** A panel that is shown instead of the events. */
type Panel =
  | { readonly kind: 'help' | 'page' }
  | { readonly kind: 'log'; readonly scrolled?: ScrolledLog }
  | { readonly kind: 'clients'; readonly settings: readonly ClientSetting[]; readonly copied?: ClientSetting }
  | { readonly kind: 'inspector'; readonly start: InspectorStart };

/** A scrolled log. It does not change while the user reads it. */
interface ScrolledLog {
  readonly rows: readonly string[];
  /** The number of rows below the shown ones. */
  readonly below: number;
}

const KEYS = 'r restart  o page  l log  i Inspector  c client  ? help  q quit';
const BACK = 'any other key goes back';
const BACK_FROM_LOG = 'arrows, PageUp, PageDown, Home and End scroll  any other key goes back';

/**
 * The keys that scroll, with the number of rows to scroll up, given the height of a page. Terminals send
 * these keys in several forms.
 */
const SCROLLS: readonly (readonly [key: RegExp, rows: (page: number) => number])[] = [
  [/^\u001b[[O]A$/, () => 1],
  [/^\u001b[[O]B$/, () => -1],
  [/^\u001b\[5~$/, (page) => page],
  [/^\u001b\[6~$/, (page) => -page],
  [/^\u001b(?:[[O]H|\[[17]~)$/, () => Infinity],
  [/^\u001b(?:[[O]F|\[[48]~)$/, () => -Infinity],
];

/** Shows the state of `sigil dev` on the whole terminal, and handles the keys that the user presses. */
export class DevTerminal {
  readonly #screen: Screen;
  readonly #unsubscribe: () => void;
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #served: Served | undefined;
  #failure: readonly string[] = [];
  #panel: Panel | undefined;
  /**
   * The command that starts the Inspector. It stays the same while `sigil dev` runs, so that a started
   * Inspector remains connected.
   */
  #inspector: InspectorStart | undefined;
  #isClosed = false;

  /** @param openScreen the function `openScreen` of `terminal`. */
  constructor(
    private readonly loop: DevLoop,
    private readonly terminal: Terminal,
    openScreen: NonNullable<Terminal['openScreen']>,
    private readonly actions: DevActions,
  ) {
    const draw = (): void => this.#drawSoon();
    this.#screen = openScreen((key) => this.#pressed(key), draw);
    this.#unsubscribe = loop.state.subscribe({
      statusChanged: draw,
      servedChanged: () => void this.#describe(),
      written: draw,
      told: draw,
    });
    draw();
  }

  /** Restores the previous screen. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#drawing);
    this.#unsubscribe();
    this.#screen.close();
  }

  async #describe(): Promise<void> {
    const { loop } = this;
    const { starts } = loop.state;
    try {
      const served = await loop.served();
      if (starts === loop.state.starts) [this.#served, this.#failure] = [served, []];
    } catch (error) {
      if (starts === loop.state.starts) this.#failure = failureLines(error);
    }
    this.#drawSoon();
  }

  #pressed(key: string): void {
    if (key === '\u0003') return this.actions.interrupt();
    const panel = this.#panel;
    this.#panel = undefined;
    if (!panel || !this.#answer(panel, key)) this.#obey(panel, key.toLowerCase());
    this.#drawSoon();
  }

  /** Handles a key in a panel. @returns whether the panel has used it. */
  #answer(panel: Panel, key: string): boolean {
    const isEnter = key === '\r' || key === '\n';
    if (panel.kind === 'clients') {
      const copied = panel.settings[Number(key) - 1];
      if (!copied) return false;
      this.#screen.copy(copied.text);
      this.#panel = { ...panel, copied };
      return true;
    }
    if (panel.kind === 'log') return this.#scroll(panel.scrolled, key);
    if (panel.kind !== 'inspector' || !isEnter) return false;
    this.#open(panel.start.url);
    this.#panel = panel;
    return true;
  }

  /** Scrolls the log. @returns whether the key scrolls. */
  #scroll(scrolled: ScrolledLog | undefined, key: string): boolean {
    const found = SCROLLS.find(([pattern]) => pattern.test(key));
    if (!found) return false;
    const rows = scrolled?.rows ?? panelRows(this.loop.state, this.#screen.columns);
    const most = Math.max(0, rows.length - this.#room);
    const below = Math.min(most, Math.max(0, (scrolled?.below ?? 0) + found[1](this.#room)));
    this.#panel = { kind: 'log', ...(below > 0 && { scrolled: { rows, below } }) };
    return true;
  }

  /** The number of rows in a panel. */
  get #room(): number {
    return Math.max(1, this.#screen.rows - OTHER_LINES);
  }

  #obey(panel: Panel | undefined, key: string): void {
    const { url } = this.loop.state.server;
    switch (key) {
      case 'r':
        return this.loop.restart();
      case 'q':
        // The key first leaves a panel, as in other programs with panels.
        return panel ? undefined : this.actions.quit();
      case '?':
      case 'h':
        this.#panel = { kind: 'help' };
        return;
      case 'o':
        if (this.actions.pageUrl !== undefined) this.#open(this.actions.pageUrl);
        this.#panel = { kind: 'page' };
        return;
      case 'l':
        this.#panel = { kind: 'log' };
        return;
      case 'c':
        if (url === undefined) return;
        this.#panel = { kind: 'clients', settings: clientSettings(this.#name, url) };
        return;
      case 'i':
        if (url === undefined) return;
        this.#inspector ??= inspectorStart(url);
        this.#screen.copy(this.#inspector.command);
        this.#panel = { kind: 'inspector', start: this.#inspector };
        return;
      default:
        return;
    }
  }

  get #name(): string {
    return this.#served?.manifest.server.name ?? 'server';
  }

  #open(url: string): void {
    (this.actions.open ?? openPage)(url);
  }

  #drawSoon(): void {
    if (this.#isClosed) return;
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined;
      this.#draw();
    }, DRAW_MS);
  }

  #draw(): void {
    const { columns, rows } = this.#screen;
    const panel = this.#panel;
    const view = {
      state: this.loop.state,
      served: this.#served,
      failure: this.#failure,
      panel: panel && this.#linesOf(panel),
      keys: panel?.kind === 'log' ? BACK_FROM_LOG : panel ? BACK : KEYS,
    };
    this.#screen.draw(devLines(view, { columns, rows, terminal: this.terminal }));
  }

  #linesOf(panel: Panel): readonly string[] {
    if (panel.kind !== 'log') return panelLines(panel, this.actions.pageUrl);
    const { rows, below } = panel.scrolled ?? {
      rows: panelRows(this.loop.state, this.#screen.columns),
      below: 0,
    };
    const end = rows.length - below;
    return ['', ...rows.slice(Math.max(0, end - this.#room), end)];
  }
}

function failureLines(error: unknown): readonly string[] {
  if (!(error instanceof ServerError) || error.problems.length === 0) return messageOf(error).split('\n');
  return error.problems.flatMap(({ code, problem, fix }) => [problem, `  Fix: ${fix} [${code}]`]);
}

function panelLines(panel: Exclude<Panel, { kind: 'log' }>, pageUrl: string | undefined): readonly string[] {
  switch (panel.kind) {
    case 'help':
      return [
        '',
        'r  restarts the server with its last compiled output',
        'o  opens the page of sigil dev, to call tools, log in, and see calls and views',
        'l  shows the whole stored log: arrows and PageUp scroll',
        'i  shows how to start the MCP Inspector, connected to the server',
        'c  shows and copies the settings that add the server to a client',
        'q  ends the compiler and the server, like Ctrl-C; a second Ctrl-C kills them',
        '',
        '* marks an argument that is required. A token is about four characters.',
        'Copying only works in a terminal that supports OSC 52.',
      ];
    case 'page':
      return pageUrl === undefined
        ? ['', 'No page is served: start sigil dev without --no-page.']
        : ['', 'If no browser opens, open this page:', '', pageUrl];
    case 'clients': {
      const { settings, copied } = panel;
      const listed = settings.flatMap(({ client, text, file }, at) => [
        '',
        `${at + 1}  ${client}${file === undefined ? '' : `, ${file}`}`,
        `   ${text}`,
      ]);
      const done = copied ? ['', `Copied the setting for ${copied.client}`] : [];
      return ['', 'Press a number to copy the setting for a client.', ...listed, ...done];
    }
    case 'inspector':
      return [
        '',
        'This command starts the MCP Inspector. It is now copied: run it in another terminal.',
        'The Inspector needs Node 22.19 or newer. npx downloads the Inspector at the first start:',
        '',
        ...panel.start.command.split('\n'),
        '',
        'Press Enter to open the Inspector with a connection to the server:',
        '',
        panel.start.url,
      ];
  }
}
