import { Service } from '@sigil/core';

/** The current day: a service of its own, so that tests can set it. */
@Service()
export class Clock {
  now(): Date {
    return new Date();
  }
}
