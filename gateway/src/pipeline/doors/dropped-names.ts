/** Names of what a door leaves out for every provider, as far as a header can have them. */
import type { JsonObject } from '../../wire/contract.ts';

const PRINTABLE = /^[\w.-]+$/;
const MAX_NAME_CHARS = 40;
const MAX_NAMES = 20;

export class DroppedNames {
  readonly #names = new Set<string>();

  get names(): readonly string[] {
    return [...this.#names];
  }

  /** `where`: the members that lead there, each with its dot. */
  add(name: string, where = ''): void {
    if (PRINTABLE.test(name) && this.#names.size < MAX_NAMES) this.#names.add(where + name.slice(0, MAX_NAME_CHARS));
  }

  /** Members that say something and that nobody reads. */
  addOthers(given: JsonObject | undefined, isRead: (name: string) => boolean, where = ''): void {
    for (const name in given) {
      const value = given[name];
      if (value !== undefined && value !== null && !isRead(name)) this.add(name, where);
    }
  }
}
