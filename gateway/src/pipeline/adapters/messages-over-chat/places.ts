/** Where the parts of a request are in the client's body, for errors that are about one of them. */
import { formatPath } from '@gatehouse/crds';

export type Path = readonly (string | number)[];

export class Places {
  readonly #paths = new Map<object, Path>();

  /** Notes where a part comes from, and returns it. */
  note<T extends object>(part: T, path: Path): T {
    this.#paths.set(part, path);
    return part;
  }

  /** Undefined: the part has no place of its own. */
  of(part: object): string | undefined {
    const path = this.#paths.get(part);
    return path && formatPath(path);
  }
}
