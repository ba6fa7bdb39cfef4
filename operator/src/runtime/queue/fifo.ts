export interface Fifo<T> {
  push(item: T): void;
  shift(): T | undefined;
  readonly size: number;
}

/** First in, first out, in constant time per item; an array's shift moves all other items. */
export function createFifo<T>(): Fifo<T> {
  let items: (T | undefined)[] = [];
  let head = 0;
  return {
    get size() {
      return items.length - head;
    },
    push: (item) => {
      items.push(item);
    },
    shift: () => {
      const item = items[head];
      items[head] = undefined;
      if (head < items.length) head += 1;
      if (head * 2 > items.length) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
  };
}
