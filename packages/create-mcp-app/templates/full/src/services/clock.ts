import { Service } from '@sigil/core';

/** Returns the current day. It is a separate service, so that tests can replace it. */
@Service()
export class Clock {
  now(): Date {
    return new Date();
  }
}
