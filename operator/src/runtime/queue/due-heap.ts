interface Due<T> {
  readonly dueMs: number;
  readonly item: T;
}

/** Items by due time, the earliest first. */
export interface DueHeap<T> {
  push(dueMs: number, item: T): void;
  peek(): Due<T> | undefined;
  pop(): Due<T> | undefined;
  clear(): void;
  readonly size: number;
}

/** A binary heap. */
export function createDueHeap<T>(): DueHeap<T> {
  const heap: Due<T>[] = [];
  const dueAt = (index: number): number => heap[index]?.dueMs ?? Number.POSITIVE_INFINITY;
  const swap = (a: number, b: number): void => {
    const [x, y] = [heap[a], heap[b]];
    if (x !== undefined && y !== undefined) [heap[a], heap[b]] = [y, x];
  };
  const rise = (from: number): void => {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (dueAt(parent) <= dueAt(at)) return;
      swap(at, parent);
      at = parent;
    }
  };
  const sink = (): void => {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const least = dueAt(left + 1) < dueAt(left) ? left + 1 : left;
      if (dueAt(least) >= dueAt(at)) return;
      swap(at, least);
      at = least;
    }
  };
  return {
    get size() {
      return heap.length;
    },
    push: (dueMs, item) => {
      heap.push({ dueMs, item });
      rise(heap.length - 1);
    },
    peek: () => heap[0],
    pop: () => {
      swap(0, heap.length - 1);
      const due = heap.pop();
      sink();
      return due;
    },
    clear: () => {
      heap.length = 0;
    },
  };
}
