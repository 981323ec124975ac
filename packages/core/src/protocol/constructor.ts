/** A class that can be constructed. */
export type Constructor<T = object> = new (...args: never[]) => T;
