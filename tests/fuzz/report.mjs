const MEBIBYTE = 1024 * 1024;

/**
 * What a run says of the server: figures, and failures by kind.
 *
 * @param limits `growth`, the most the heap may grow after collection (bytes), and `delay`, the most the event loop may be held (ms).
 */
export function judge({ server, outcome, warm, end, limits }) {
  const { answered, hangs, faults } = outcome;
  const rejections = [warm, end].flatMap((vitals) => vitals?.rejections ?? []);
  const growth = warm && end ? end.heap - warm.heap : undefined;
  const worst = Math.max(warm?.delays.worst ?? 0, end?.delays.worst ?? 0);
  const failures = [
    ...(server.crashed ? [`crash (${JSON.stringify(server.exit)}): ${server.stderr.slice(-2_000)}`] : []),
    ...hangs.map(({ why, text }) => `hang, ${why}: ${text}`),
    ...rejections.map((text) => `unhandled rejection: ${text.slice(0, 1_000)}`),
    ...faults.map((fault) => `fault: ${fault}`),
    ...(end?.polluted ? ['Object.prototype has been changed'] : []),
    ...(!server.crashed && !end ? ['hang, the process does not say how it fares'] : []),
    ...(growth > limits.growth ? [`heap: grown by ${toMib(growth)} after collection`] : []),
    ...(worst > limits.delay ? [`event loop: held for ${worst} ms`] : []),
  ];
  return {
    answered,
    crashes: server.crashed ? 1 : 0,
    hangs: hangs.length,
    rejections: rejections.length,
    faults: faults.length,
    heapWarm: toMib(warm?.heap),
    heapEnd: toMib(end?.heap),
    worstDelayMs: worst,
    failures,
  };
}

/** Prints the report of one run as a line, and its first failures. */
export function print(name, { failures, ...figures }, most = 5) {
  const text = Object.entries(figures).map(([key, value]) => `${key} ${value}`);
  console.log(`${name}: ${failures.length === 0 ? 'sound' : 'FAILED'}; ${text.join(', ')}`);
  for (const failure of failures.slice(0, most)) console.log(`  ${failure}`);
  if (failures.length > most) console.log(`  and ${failures.length - most} more`);
}

function toMib(bytes) {
  return bytes === undefined ? '?' : `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}
