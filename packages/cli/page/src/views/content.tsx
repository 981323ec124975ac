import { useMemo, useState } from 'preact/hooks';
import { parseExactly } from '../../../src/exact-numbers.js';
import { isObject, type JsonObject, objectOf } from '../../../src/json.js';
import { textOf, shown } from '../mcp/messages.js';
import { counted, Json, JsonText, size, Text } from './parts.js';
import { usePage } from './page-context.js';

/** Messages to or from a model, each with its role. */
export function Messages({ messages }: { messages: unknown }) {
  return (
    <>
      {listOf(messages).map((message, index) =>
        isObject(message) ? (
          <section class="message" key={index}>
            <h3>{shown(message['role'])}</h3>
            <Blocks content={message['content']} />
          </section>
        ) : (
          <Odd key={index} value={message} what="A message must have a role and a content." />
        ),
      )}
    </>
  );
}

/** The content blocks of a result or message. */
export function Blocks({ content }: { content: unknown }) {
  return (
    <>
      {listOf(content).map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </>
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function Block({ block }: { block: unknown }) {
  if (!isObject(block)) return <Odd value={block} what="A content block must be an object." />;
  const { type, text, data, mimeType, resource, uri } = block;
  switch (type) {
    case 'text': {
      if (typeof text !== 'string') return <Odd value={block} what="A text block must have a text." />;
      const value = /^\s*[[{]/.test(text) ? parseExactly(text) : undefined;
      return value === undefined ? <Text text={text} /> : <Value value={value} />;
    }
    case 'image':
    case 'audio':
      if (typeof data !== 'string' || typeof mimeType !== 'string')
        return <Odd value={block} what={`A block of type ${type} must have data and a mimeType.`} />;
      return (
        <figure>
          <Bytes type={mimeType} tag={type} base64={data} whole={block} />
          <figcaption>{`${mimeType}, ${size((data.length * 3) / 4)}`}</figcaption>
        </figure>
      );
    case 'resource':
      return <ResourceContents contents={resource} />;
    case 'resource_link':
      if (typeof uri !== 'string') return <Odd value={block} what="A link to a resource must have a uri." />;
      return <ResourceLink link={block} uri={uri} />;
    // Models write these about tools.
    case 'tool_use':
    case 'tool_result':
      return <Json value={block} />;
    default:
      return <Odd value={block} what={`MCP has no block of type ${JSON.stringify(type)}.`} />;
  }
}

/** Shows an invalid value and its problem. */
export function Odd({ value, what }: { value: unknown; what: string }) {
  return (
    <>
      <p class="problem">{what}</p>
      <Json value={value} />
    </>
  );
}

/** The contents of a resource: text, picture, audio, or a link to save other data. */
export function ResourceContents({ contents }: { contents: unknown }) {
  const { uri, mimeType, text, blob } = objectOf(contents);
  const type = textOf(mimeType) ?? '';
  if (typeof uri !== 'string' || (typeof text !== 'string' && typeof blob !== 'string'))
    return (
      <Odd value={contents} what="The contents of a resource must have a uri, and either a text or a blob." />
    );
  return (
    <figure class="resource">
      <figcaption>
        <code>{uri}</code> {type}
      </figcaption>
      {typeof text === 'string' && (type.includes('json') ? <JsonText text={text} /> : <Text text={text} />)}
      {typeof blob === 'string' && (
        <Bytes type={type} tag={type.split('/')[0]} base64={blob} whole={contents} />
      )}
    </figure>
  );
}

/** Data in base64. @param tag the element that shows it: an image, audio, or a link to save it. */
function Bytes({
  type,
  tag,
  base64,
  whole,
}: {
  type: string;
  tag: string | undefined;
  base64: string;
  whole: unknown;
}) {
  const [isBroken, setBroken] = useState(false);
  const isBase64 = useMemo(() => {
    try {
      atob(base64);
      return true;
    } catch {
      return false;
    }
  }, [base64]);
  if (!isBase64) return <Odd value={whole} what="The bytes must be base64." />;
  if (isBroken) return <Odd value={whole} what={`The browser cannot read the bytes as ${type}.`} />;
  const address = `data:${type || 'application/octet-stream'};base64,${base64}`;
  const onError = (): void => setBroken(true);
  if (tag === 'image') return <img src={address} alt={`Picture, ${type}`} onError={onError} />;
  if (tag === 'audio') return <audio controls src={address} onError={onError} />;
  return (
    <a href={address} download="resource">
      {`Save ${size((base64.length * 3) / 4)}`}
    </a>
  );
}

/** A link to a resource. The resource is read when the developer clicks on it. */
function ResourceLink({ link, uri }: { link: JsonObject; uri: string }) {
  const page = usePage();
  const isWeb = /^https?:/.test(uri) && URL.canParse(uri);
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

/** Shows a JSON value. A list of flat objects is shown as a table, and any other value as JSON. */
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
