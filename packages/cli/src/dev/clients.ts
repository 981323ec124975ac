import { randomBytes } from 'node:crypto';

/** A setting that adds a server to an MCP client. */
export interface ClientSetting {
  readonly client: string;
  /** The text of the setting: a shell command, or the contents of a file. */
  readonly text: string;
  /** The path of the file, if the setting is the contents of a file. */
  readonly file?: string;
}

/**
 * Returns the settings that add a server to clients: shell commands, or the contents of files.
 *
 * @param server the name of the server. Hyphens replace characters that are not allowed in shell commands or setting
 *   files.
 * @param url the endpoint of the server.
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

/** The command that starts the MCP Inspector, and the URL of the Inspector page that is connected to a server. */
export interface InspectorStart {
  /** A command for a shell, in lines of at most 80 characters. */
  readonly command: string;
  readonly url: string;
}

const INSPECTOR = 'http://127.0.0.1:6274/';

/**
 * Returns how to start the MCP Inspector for a server.
 *
 * @param serverUrl the endpoint of the server.
 * @param token the token that the Inspector page needs.
 * @default a random token
 */
export function inspectorStart(
  serverUrl: string,
  token: string = randomBytes(16).toString('hex'),
): InspectorStart {
  const asked = new URLSearchParams({ serverUrl, transport: 'http', autoConnect: token });
  return {
    // The command is cut into lines that fit a terminal of 80 columns: a line that the terminal breaks could not be
    // selected and run.
    command: [
      `MCP_INSPECTOR_API_TOKEN=${token} \\`,
      'MCP_AUTO_OPEN_ENABLED=false HOST=127.0.0.1 npx @modelcontextprotocol/inspector@2',
    ].join('\n'),
    url: `${INSPECTOR}?${asked.toString()}`,
  };
}
