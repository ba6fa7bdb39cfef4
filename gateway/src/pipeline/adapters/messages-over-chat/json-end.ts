const OPEN = new Set('{[');
const CLOSE = new Set('}]');

/** Tells when the pieces of a JSON object make up a whole. */
export class JsonEnd {
  #depth = 0;
  #begun = false;
  #inString = false;
  #escaped = false;

  push(text: string): void {
    for (const character of text) {
      if (this.#inString) this.#pushInString(character);
      else if (character === '"') this.#inString = true;
      else if (OPEN.has(character)) this.#enter();
      else if (CLOSE.has(character)) this.#depth -= 1;
    }
  }

  get reached(): boolean {
    return this.#begun && this.#depth <= 0;
  }

  #enter(): void {
    this.#begun = true;
    this.#depth += 1;
  }

  #pushInString(character: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (character === '\\') this.#escaped = true;
    else if (character === '"') this.#inString = false;
  }
}
