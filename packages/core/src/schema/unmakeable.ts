import { InvalidValueError } from './invalid-value-error.js';

/** Wraps what class-transformer or a function of the author threw while an instance was made. */
export function unmakeable(cause: unknown): InvalidValueError {
  const issue = {
    path: '',
    expected: 'a value that its class can be made from',
    received: 'a value that made its class fail',
    message: 'no instance could be made from this value',
  };
  return new InvalidValueError([issue], { cause });
}
