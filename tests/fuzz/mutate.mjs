// What becomes of a valid message on its way through hostile hands.

const MARK = '@@raw@@';
const repeat = (open, inner, close, times) => open.repeat(times) + inner + close.repeat(times);

/** JSON that JSON.stringify would not write, or not without end: what stands for it in a message is replaced in its text. */
function rawJson(random) {
  const deep = random.weighted([
    [6, random.whole(2, 100)],
    [3, random.whole(100, 5_000)],
    [1, random.whole(5_000, 20_000)],
  ]);
  const many = random.weighted([
    [8, random.whole(1, 300)],
    [2, random.whole(300, 5_000)],
    [0.2, random.whole(20_000, 100_000)],
  ]);
  return random.pick([
    () => repeat('[', '', ']', deep),
    () => repeat('{"a":', '1', '}', deep),
    () => repeat('{"type":"ref/prompt","name":', '"guarded"', '}', deep),
    () => repeat('[{"ref":', 'null', '}]', deep),
    () => `"${'x'.repeat(many * 10)}"`,
    () => `"${'\\u0000'.repeat(many)}"`,
    () => `[${Array(many).fill('{}').join()}]`,
    () => `{${Array.from({ length: many }, (_, at) => `"k${at}":${at}`).join()}}`,
    () => `{${Array(many).fill('"same":1').join()}}`,
    () => '{"__proto__":{"polluted":true}}',
    () => '{"constructor":{"prototype":{"polluted":true}}}',
    () => '1e400',
    () => '9'.repeat(Math.min(many, 2_000)),
    () => '"\\ud800"',
    () => '{"\\udfff":"\\ud800"}',
    () => '{"toString":null,"valueOf":1,"hasOwnProperty":false,"then":{}}',
    () => '-0',
  ])();
}

const ODD_VALUES = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  1e300,
  '',
  'x',
  '__proto__',
  'toString',
  [],
  {},
  [[]],
];
const ODD_IDS = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  '',
  ' ',
  '__proto__',
  'x'.repeat(5_000),
  [],
  {},
  { id: 1 },
  ['r-1'],
];
const VERSIONS = ['2024-11-05', '2025-03-26', '2025-11-25', '1900-01-01', 'x', '', null, 20260728, {}];

/** Messages that once ended or stopped a server, as texts. */
export function knownTexts(grammar) {
  const about = (ref) => ({ ref: { ...ref, more: `${MARK}0` }, argument: { name: 'name', value: 'a' } });
  const deep = [repeat('{"a":', '1', '}', 6_000)];
  const wide = [`{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":{}`).join()}}`];
  const call = (name) => grammar.request('tools/call', { name, arguments: { text: `${MARK}0` } });
  return [
    write(grammar.request('completion/complete', about({ type: 'ref/prompt', name: 'guarded' })), deep),
    write(
      grammar.request('completion/complete', about({ type: 'ref/resource', uri: 'fuzz://secret/{id}' })),
      deep,
    ),
    ...['bigInt', 'cycle', 'floats', 'passesOn', 'refusedLater', 'rejectedLater'].map((name) =>
      write(call(name), ['{}']),
    ),
    write(call('refusedLater'), deep),
    write(call('any'), wide),
  ];
}

/** The text of a message, with what stands for raw JSON replaced by it. */
function write(message, raws) {
  const text = JSON.stringify(message) ?? 'null';
  return text.replace(new RegExp(`"${MARK}(\\d+)"`, 'g'), (_, at) => raws[at]);
}

/** A value of its own, for later changes to change. */
const oddValue = (random, list = ODD_VALUES) => structuredClone(random.pick(list));

/**
 * Changes a message in up to three places.
 *
 * @returns its text.
 */
export function mutate(message, random) {
  const raws = [];
  const wrapped = { message: structuredClone(message) };
  const times = random.whole(1, 3);
  for (let time = 0; time < times; time += 1) change(wrapped, random, raws);
  const whole = write(wrapped.message, raws);
  return random.chance(0.08) ? breakText(whole, random) : whole;
}

function change(wrapped, random, raws) {
  const { message } = wrapped;
  const special = message && typeof message === 'object' && !Array.isArray(message) && random.chance(0.3);
  if (special) return void random.pick([changeId, changeVersion, changeEnvelope])(message, random);
  const [holder, key] = random.pick(places(wrapped));
  const odd = () => {
    if (random.chance(0.5)) return oddValue(random);
    raws.push(rawJson(random));
    return MARK + (raws.length - 1);
  };
  const act = random.pick(['replace', 'replace', 'replace', 'remove', 'add', 'own', 'wrap']);
  const value = holder[key];
  if (act === 'remove' && holder !== wrapped) return void delete holder[key];
  if (act === 'wrap') return void (holder[key] = random.chance(0.5) ? [value] : { value });
  if ((act === 'add' || act === 'own') && value && typeof value === 'object' && !Array.isArray(value)) {
    const name =
      act === 'own' ? '__proto__' : random.pick(['extra', 'then', 'toJSON', 'constructor', '', '_meta']);
    return void Object.defineProperty(value, name, {
      value: odd(),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  holder[key] = odd();
}

function changeId(message, random) {
  message.id = oddValue(random, ODD_IDS);
}

function changeVersion(message, random) {
  if (random.chance(0.5)) message.jsonrpc = oddValue(random, ['1.0', '2', 2, null, '', {}]);
  else if (isRecord(message.params?._meta)) setVersion(message.params, oddValue(random, VERSIONS));
}

function setVersion(params, version) {
  params._meta['io.modelcontextprotocol/protocolVersion'] = version;
  if ('protocolVersion' in params) params.protocolVersion = version;
}

function changeEnvelope(message, random) {
  const meta = message.params?._meta;
  if (!isRecord(meta)) return;
  const [key] = random.pick([...Object.entries(meta), ['progressToken']]);
  meta[key] = oddValue(random, [...ODD_VALUES, ...ODD_IDS]);
}

const isRecord = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Every place of a message where another value may stand, as holder and key. */
function places(wrapped) {
  const found = [];
  const walk = (holder) => {
    for (const key of Object.keys(holder)) {
      found.push([holder, key]);
      const value = holder[key];
      if (value && typeof value === 'object' && found.length < 200) walk(value);
    }
  };
  walk(wrapped);
  return found;
}

/** Makes of a text what is no JSON, most of the time. */
function breakText(text, random) {
  const at = random.whole(0, text.length);
  return random.pick([
    () => text.slice(0, at),
    () => text.slice(at),
    () =>
      `${text.slice(0, at)}${random.pick(['\u0000', '\\', '"', '{', '}', '\ufeff', '\ud800', '\r', '//'])}${text.slice(at)}`,
    () => `${text}${text}`,
    () => `\ufeff${text}`,
    () => '',
    () => '   ',
    () => 'null',
    () => '[]',
    () => repeat('[', '', '', random.whole(1, 50_000)),
  ])();
}
