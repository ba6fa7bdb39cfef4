/** Where limits are counted, as the admin listener tells it. */
import type { LimitsState } from '../limits/index.ts';

export interface LimitsStatus {
  /** Undefined where limits are counted by this machine alone, by intent. */
  current(): (LimitsState & { readonly store?: string | undefined }) | undefined;
  /** Returns the function that ends this. */
  onChange(listener: () => void): () => void;
}

export interface LimitsStatusSource extends LimitsStatus {
  /** To be called after each change. */
  tell(): void;
}

export function createLimitsStatus(current: LimitsStatus['current']): LimitsStatusSource {
  const listeners = new Set<() => void>();
  return {
    current,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell: () => {
      for (const listener of listeners) listener();
    },
  };
}
