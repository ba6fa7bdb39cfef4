import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fromZodError } from './issue.ts';

const schema = z.strictObject({
  name: z.string().min(1).max(3).optional(),
  count: z.int().min(1).max(9).optional(),
  share: z.number().gt(0).lt(1).optional(),
  list: z.array(z.string()).min(1).max(2).optional(),
  flag: z.boolean().optional(),
  members: z.record(z.string(), z.string()).optional(),
  own: z.number({ error: 'a price in dollars' }).optional(),
  inner: z.strictObject({ needed: z.string() }).optional(),
});

describe('what zod says by itself', () => {
  test.for<[value: object, message: string]>([
    [{ name: '' }, 'expected at least 1 character'],
    [{ name: 'abcd' }, 'expected at most 3 characters'],
    [{ name: 5 }, 'expected a text, not a number'],
    [{ name: null }, 'expected a text, not null'],
    [{ count: 0 }, 'expected a number of at least 1'],
    [{ count: 10 }, 'expected a number of at most 9'],
    [{ count: 1.5 }, 'expected a whole number'],
    [{ share: 0 }, 'expected a number of more than 0'],
    [{ share: 1 }, 'expected a number of less than 1'],
    [{ list: [] }, 'expected at least 1 item'],
    [{ list: ['a', 'b', 'c'] }, 'expected at most 2 items'],
    [{ list: {} }, 'expected a list, not an object'],
    [{ flag: 'yes' }, 'expected true or false, not a text'],
    [{ members: [] }, 'expected an object, not a list'],
    [{ inner: {} }, 'required: expected a text'],
    [{ own: 'x' }, 'a price in dollars'],
  ])('%j: %s', ([value, message]) => {
    const { error } = schema.safeParse(value);
    expect(error && fromZodError(error, { schema, value }).map((issue) => issue.message)).toEqual([message]);
  });
});
