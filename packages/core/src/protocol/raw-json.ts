/** A JSON object that is text already, for results that are written once and sent often, or written at once with their text. */
export class RawJson {
  /**
   * @param members the members of the object as JSON text, without the braces: `"a":1,"b":[2]`.
   * @param value gives the object itself, for what keeps results instead of sending them.
   */
  constructor(
    readonly members: string,
    readonly value: () => Readonly<Record<string, unknown>>,
  ) {}
}
