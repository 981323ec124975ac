import { readServerOptions } from '../../options.js';
import { floorAnswers } from './answers.js';

/** The least a stdio server can do: split lines, parse, answer each with one write. */
const answer = floorAnswers(readServerOptions().tools);
let rest = '';

process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) process.stdout.write(`${answer(line)}\n`);
});
