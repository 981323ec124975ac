import { isObject, type JsonObject, parseJson } from '../../../src/json.js';
import { objectsOf, textOf, shown } from '../mcp/messages.js';
import { counted, Json, JsonText, size, Text } from './parts.js';
import { usePage } from './page-context.js';

/** The blocks of a result or message, each as people read it. */
export function Blocks({ content }: { content: unknown }) {
  const blocks = Array.isArray(content) ? objectsOf(content) : isObject(content) ? [content] : [];
  return (
    <>
      {blocks.map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </>
  );
}

function Block({ block }: { block: JsonObject }) {
  const { type, text, data, mimeType, resource } = block;
  if (type === 'text' && typeof text === 'string') {
    const value = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
    return value === undefined ? <Text text={text} /> : <Value value={value} />;
  }
  if (type === 'image' && typeof data === 'string')
    return (
      <figure>
        <img src={`data:${shown(mimeType)};base64,${data}`} alt={`Picture, ${shown(mimeType)}`} />
        <figcaption>{`${shown(mimeType)}, ${size((data.length * 3) / 4)}`}</figcaption>
      </figure>
    );
  if (type === 'audio' && typeof data === 'string')
    return (
      <figure>
        <audio controls src={`data:${shown(mimeType)};base64,${data}`} />
        <figcaption>{`${shown(mimeType)}, ${size((data.length * 3) / 4)}`}</figcaption>
      </figure>
    );
  if (type === 'resource' && isObject(resource)) return <ResourceContents contents={resource} />;
  if (type === 'resource_link') return <ResourceLink link={block} />;
  return <Json value={block} />;
}

/** Contents of a resource: a text, a picture, a recording, or bytes to save. */
export function ResourceContents({ contents }: { contents: JsonObject }) {
  const { uri, mimeType, text, blob } = contents;
  const type = textOf(mimeType) ?? '';
  return (
    <figure class="resource">
      <figcaption>
        <code>{shown(uri)}</code> {type}
      </figcaption>
      {typeof text === 'string' && (type.includes('json') ? <JsonText text={text} /> : <Text text={text} />)}
      {typeof blob === 'string' && <Bytes type={type} base64={blob} />}
    </figure>
  );
}

function Bytes({ type, base64 }: { type: string; base64: string }) {
  const address = `data:${type || 'application/octet-stream'};base64,${base64}`;
  if (type.startsWith('image/')) return <img src={address} alt={`Picture, ${type}`} />;
  if (type.startsWith('audio/')) return <audio controls src={address} />;
  return (
    <a href={address} download="resource">
      {`Save ${size((base64.length * 3) / 4)}`}
    </a>
  );
}

/** A pointer to a resource: it is read when the developer wants that. */
function ResourceLink({ link }: { link: JsonObject }) {
  const page = usePage();
  const uri = shown(link['uri']);
  const isWeb = /^https?:/.test(uri);
  return (
    <p class="resource-link">
      <strong>{textOf(link['title']) ?? textOf(link['name']) ?? uri}</strong> <code>{uri}</code>{' '}
      {isWeb ? (
        <a href={uri} target="_blank" rel="noreferrer noopener">
          {`Open ${new URL(uri).host}`}
        </a>
      ) : (
        <button type="button" class="small" onClick={() => page.select({ kind: 'resource', key: uri })}>
          Show
        </button>
      )}
      {link['description'] ? <span class="muted"> {shown(link['description'])}</span> : null}
    </p>
  );
}

const MOST_ROWS = 200;
const MOST_COLUMNS = 20;

/** A value: a list of flat objects as a table, anything else as JSON. */
export function Value({ value }: { value: unknown }) {
  if (isTable(value)) return <Table rows={value} />;
  if (isObject(value)) {
    const [only, ...others] = Object.entries(value);
    if (only && others.length === 0 && isTable(only[1]))
      return (
        <>
          <h4>{only[0]}</h4>
          <Table rows={only[1]} />
        </>
      );
  }
  return <Json value={value} />;
}

function isTable(value: unknown): value is readonly JsonObject[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  const isFlat = (one: unknown): boolean =>
    isObject(one) && Object.values(one).every((cell) => typeof cell !== 'object' || cell === null);
  return value.every(isFlat) && columnsOf(value as JsonObject[]).length <= MOST_COLUMNS;
}

function columnsOf(rows: readonly JsonObject[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

function Table({ rows }: { rows: readonly JsonObject[] }) {
  const columns = columnsOf(rows);
  return (
    <div class="table" tabIndex={0} role="group" aria-label={`Table of ${counted(rows.length, 'row')}`}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_ROWS).map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column} class={typeof row[column] === 'number' ? 'number' : undefined}>
                  {shown(row[column])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST_ROWS && (
        <p class="muted">{`${rows.length - MOST_ROWS} more rows are under "Message"`}</p>
      )}
    </div>
  );
}
