import { Service } from '@sigil/core';

/** What day it is: a service of its own, so that tests can say. */
@Service()
export class Clock {
  now(): Date {
    return new Date();
  }
}
