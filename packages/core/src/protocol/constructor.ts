/** A class that can be constructed. */
export type Constructor<T = object> = new (...args: never[]) => T;

/** A class that may be abstract. */
export type AbstractConstructor<T = object> = abstract new (...args: never[]) => T;
