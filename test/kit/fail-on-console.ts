import { afterEach, beforeEach, expect, vi } from 'vitest';

// Console output in a unit test is a leak: something prints that should return or log.
const METHODS = ['log', 'info', 'warn', 'error', 'debug'] as const;

beforeEach(() => {
  for (const method of METHODS) vi.spyOn(console, method);
});

afterEach(() => {
  for (const method of METHODS) {
    expect(vi.mocked(console[method]), `console.${method} was called`).not.toHaveBeenCalled();
  }
  vi.restoreAllMocks();
});
