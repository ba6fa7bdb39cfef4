import { expect, test } from 'vitest';
import { AppError } from './app-error.ts';
import { renderError } from './render.ts';

test.for([
  ['KEY_INVALID', 16],
  ['SCOPE_MISSING', 7],
  ['PARAMETER_INVALID', 3],
  ['BODY_TOO_LARGE', 8],
  ['REQUEST_LOG_OFF', 12],
  ['REQUEST_LOG_BUSY', 14],
  ['INTERNAL', 13],
] as const)('%s is the code %i', ([code, number]) => {
  const error = new AppError(code, { detail: 'x'.repeat(300) });
  const json = renderError(error, 'otlp');
  const { message } = JSON.parse(json.body.toString());
  expect(JSON.parse(json.body.toString())).toEqual({ code: number, message });
  const { headers, body } = renderError(error, 'otlp_protobuf');
  expect(headers['content-type']).toBe('application/x-protobuf');
  const text = Buffer.from(message);
  const length = text.length < 128 ? [text.length] : [(text.length & 0x7f) | 0x80, text.length >> 7];
  expect(body).toEqual(Buffer.concat([Buffer.from([0x08, number, 0x12, ...length]), text]));
});
