import type { Capture, RunStep, Step } from './compiled-template.js';

/** The part of a string that a scan reads. */
interface CodeUnits {
  readonly length: number;
  charCodeAt(index: number): number;
}

/** A capture, and the range of the input that belongs to it: from `start` up to, but not including, `end`. */
export interface Captured {
  readonly capture: Capture;
  readonly start: number;
  readonly end: number;
}

/**
 * Runs the steps over the whole input. A first pass goes from the last step to the first. For each step, it marks the
 * positions where the rest of the input can match. A second pass from the start follows marked positions only, so
 * nothing is tried twice. Time and memory are proportional to the length of the input times the number of steps.
 *
 * If several matches exist, each `RunStep` reads as much as it can. If an optional expression directly follows a
 * `RunStep`, a match that contains the expression is preferred. Therefore, `{name}{.ext}` splits `a.b.json` into `a.b`
 * and `json`.
 *
 * @param input a string of ASCII characters only.
 * @returns the capture of each `RunStep`, in the order of the steps, or `undefined` if the input does not match.
 */
export function scan(steps: readonly Step[], input: CodeUnits): Captured[] | undefined {
  const first = steps[0];
  // Most URIs that do not match differ at their start, which is found without marking.
  if (first?.kind === 'text' && !textAt(input, 0, first.text)) return undefined;
  const marks = markFromEnd(steps, input);
  if (!marks[0]?.[0]) return undefined;

  const captured: Captured[] = [];
  let position = 0;
  for (let index = 0; index < steps.length;) {
    const step = steps[index];
    if (!step) break;
    if (step.kind === 'text') {
      position += step.text.length;
      index += 1;
    } else if (step.kind === 'fork') {
      index = marks[index + 1]?.[position] ? index + 1 : step.to;
    } else {
      const optionalNext = steps[index + 1]?.kind === 'fork' ? marks[index + 2] : undefined;
      const end = runEnd(step, input, position, marks[index + 1], optionalNext);
      captured.push({ capture: step.capture, start: position, end });
      position = end;
      index += 1;
    }
  }
  return captured;
}

/** For each step and for the end: the positions where a match of the rest can start. */
function markFromEnd(steps: readonly Step[], input: CodeUnits): Uint8Array[] {
  const marks: Uint8Array[] = new Array<Uint8Array>(steps.length + 1);
  let next = new Uint8Array(input.length + 1);
  next[input.length] = 1;
  marks[steps.length] = next;
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const step = steps[index];
    if (step?.kind === 'text') next = markText(step.text, input, next);
    else if (step?.kind === 'run') next = markRun(step, input, next);
    else if (step?.kind === 'fork') next = markEither(next, marks[step.to] ?? next);
    marks[index] = next;
  }
  return marks;
}

function markText(text: string, input: CodeUnits, next: Uint8Array): Uint8Array<ArrayBuffer> {
  const marks = new Uint8Array(input.length + 1);
  for (let position = 0; position + text.length <= input.length; position += 1) {
    if (next[position + text.length] && textAt(input, position, text)) marks[position] = 1;
  }
  return marks;
}

function markRun(step: RunStep, input: CodeUnits, next: Uint8Array): Uint8Array<ArrayBuffer> {
  const marks = new Uint8Array(input.length + 1);
  let reaches = next[input.length] ?? 0;
  if (step.minimum === 0) marks[input.length] = reaches;
  for (let position = input.length - 1; position >= 0; position -= 1) {
    const longer = step.stops[input.charCodeAt(position)] ? 0 : reaches;
    reaches = longer | (next[position] ?? 0);
    marks[position] = step.minimum === 0 ? reaches : longer;
  }
  return marks;
}

function markEither(next: Uint8Array, skipped: Uint8Array): Uint8Array<ArrayBuffer> {
  const marks = new Uint8Array(next.length);
  for (let position = 0; position < next.length; position += 1) {
    marks[position] = (next[position] ?? 0) | (skipped[position] ?? 0);
  }
  return marks;
}

function runEnd(
  step: RunStep,
  input: CodeUnits,
  start: number,
  next: Uint8Array | undefined,
  optionalNext: Uint8Array | undefined,
): number {
  let longest = start;
  let preferred: number | undefined;
  for (let end = start; ; end += 1) {
    if (end >= start + step.minimum) {
      if (next?.[end]) longest = end;
      if (optionalNext?.[end]) preferred = end;
    }
    if (end >= input.length || step.stops[input.charCodeAt(end)]) return preferred ?? longest;
  }
}

function textAt(input: CodeUnits, position: number, text: string): boolean {
  if (position + text.length > input.length) return false;
  for (let index = 0; index < text.length; index += 1) {
    if (input.charCodeAt(position + index) !== text.charCodeAt(index)) return false;
  }
  return true;
}
