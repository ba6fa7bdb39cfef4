import { describe, expect, test } from 'vitest';
import { ERRORS, type ErrorCode, errorRow } from './index.ts';

describe('the error table', () => {
  test.for(Object.keys(ERRORS) as ErrorCode[])('row %s can be sent', (code) => {
    const row = errorRow(code);
    expect(row.status).toBeGreaterThanOrEqual(400);
    expect(row.status).toBeLessThan(600);
    expect(row.summary).not.toBe('');
    // Only errors that a target alone has caused let a fallback chain go on.
    if (row.fallback === 'status') expect(['openai', 'provider']).toContain(row.shape);
  });

  test('hides the message of internal errors alone', () => {
    const hidden = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !errorRow(code).expose);
    expect(hidden).toEqual(['INTERNAL']);
  });
});
