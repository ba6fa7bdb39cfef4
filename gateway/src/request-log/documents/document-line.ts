import type { DocumentToKeep } from './document-store.ts';

/** Documents in the order in which they came. To take the first of many costs as little as to take the first of two. */
export class DocumentLine {
  #documents: (DocumentToKeep | undefined)[] = [];
  /** Those before it were taken. */
  #first = 0;

  add(document: DocumentToKeep): void {
    this.#documents.push(document);
  }

  /** The first one; undefined: there is none. */
  take(): DocumentToKeep | undefined {
    const document = this.#documents[this.#first];
    if (document === undefined) return undefined;
    this.#documents[this.#first] = undefined;
    this.#first += 1;
    // A copy of at most as many as were taken since the last one.
    if (this.#first * 2 >= this.#documents.length) {
      this.#documents = this.#documents.slice(this.#first);
      this.#first = 0;
    }
    return document;
  }

  takeAll(): readonly DocumentToKeep[] {
    const documents = this.#documents.filter((document) => document !== undefined);
    this.#documents = [];
    this.#first = 0;
    return documents;
  }
}
