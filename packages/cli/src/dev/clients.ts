import { randomBytes } from 'node:crypto';

/** The setting that adds a server to a client. */
export interface ClientSetting {
  readonly client: string;
  /** A command for a shell, or the contents of a file. */
  readonly text: string;
  /** The file, if the setting is not a command. */
  readonly file?: string;
}

/**
 * The settings that add a server to clients: a command, or a file.
 *
 * @param server its name; characters that shells and files do not accept become hyphens.
 * @param url its endpoint.
 */
export function clientSettings(server: string, url: string): readonly ClientSetting[] {
  const name = server.replace(/[^\w-]+/g, '-').replace(/^-+/, '') || 'server';
  return [
    { client: 'Claude Code', text: `claude mcp add --transport http ${name} ${url}` },
    { client: 'VS Code', text: `code --add-mcp '${JSON.stringify({ name, type: 'http', url })}'` },
    {
      client: 'Cursor',
      text: JSON.stringify({ mcpServers: { [name]: { url } } }),
      file: '.cursor/mcp.json',
    },
    { client: 'Codex', text: `codex mcp add ${name} --url ${url}` },
    { client: 'Gemini CLI', text: `gemini mcp add --transport http ${name} ${url}` },
  ];
}

/** How the MCP Inspector is started, and the page of it that is connected to a server. */
export interface InspectorStart {
  /** A command for a shell, in lines of at most 80 characters. */
  readonly command: string;
  readonly url: string;
}

const INSPECTOR = 'http://127.0.0.1:6274/';

/**
 * How the MCP Inspector is started for a server.
 *
 * @param serverUrl the endpoint of the server.
 * @param token lets its page in.
 * @default token random
 */
export function inspectorStart(
  serverUrl: string,
  token: string = randomBytes(16).toString('hex'),
): InspectorStart {
  const asked = new URLSearchParams({ serverUrl, transport: 'http', autoConnect: token });
  return {
    // Two lines that a terminal of 80 columns does not break: a broken line could not be selected and run.
    command: [
      `MCP_INSPECTOR_API_TOKEN=${token} \\`,
      'MCP_AUTO_OPEN_ENABLED=false HOST=127.0.0.1 npx @modelcontextprotocol/inspector@2',
    ].join('\n'),
    url: `${INSPECTOR}?${asked.toString()}`,
  };
}
