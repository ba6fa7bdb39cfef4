import { describe, expect, test } from 'vitest';
import { checkMediaType } from './media-type.ts';

describe('a content-type header', () => {
  test.for([
    undefined,
    'application/json',
    'Application/JSON; charset=utf-8',
    ' text/event-stream ;x',
    'multipart/form-data; boundary="a;b"',
    'application/vnd.api+json',
    '*/*',
  ])('may be %j', (given) => {
    expect(() => checkMediaType(given)).not.toThrow();
  });

  test.for(['', 'json', '/json', 'application/', 'a/b/c', 'a b/c', 'a/b c', 'application json; x=y', ';', 'a/b, c/d'])(
    'is malformed as %j',
    (given) => {
      expect(() => checkMediaType(given)).toThrow(
        expect.objectContaining({ code: 'CONTENT_TYPE_INVALID', param: 'content-type' }),
      );
    },
  );
});
