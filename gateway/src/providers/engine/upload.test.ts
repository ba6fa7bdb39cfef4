import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { Cancellation } from '../../lib/cancellation.ts';
import type { FormModel } from '../../wire/contract.ts';
import type { Call, FormTable, OutgoingRequest, RequestRule, Upload } from '../contract.ts';
import { buildRequest } from './request.ts';
import { prepareTarget } from './target.ts';
import { sampleCall, sampleProvider, sampleServices } from './testing.ts';

const FORM =
  '--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nsmall\r\n' +
  '--x\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\nContent-Type: audio/mpeg\r\n\r\nsound\r\n' +
  '--x\r\nContent-Disposition: form-data; name="format"\r\n\r\ntext\r\n--x--\r\n';

const upload = (text: string, contentType = 'multipart/form-data; boundary=x'): Upload => {
  const source = { bytes: text.length, replayable: true, open: () => Readable.from([Buffer.from(text)]) };
  return contentType.startsWith('multipart/')
    ? { kind: 'form', contentType, boundary: 'x', source }
    : { kind: 'binary', contentType, source };
};

async function build(rule: RequestRule, body: Upload | undefined, call: Partial<Call> = {}): Promise<OutgoingRequest> {
  const provider = sampleProvider({
    endpoints: { embed: { method: 'POST', path: '/files', request: rule, answer: { kind: 'relay' } } },
  });
  const made = sampleCall({ operation: 'upload', endpoint: 'embed', ...call });
  return buildRequest(prepareTarget(provider, made.fields), made, {
    ...{ forwarded: {}, services: sampleServices(), signal: new Cancellation() },
    ...{ rawBody: undefined, upload: body },
  });
}

const textOf = async ({ streamed }: OutgoingRequest): Promise<string> =>
  streamed === undefined ? '' : (await buffer(streamed.open())).toString();

const form = (table: FormTable): RequestRule => ({ kind: 'form', table });

describe('a form', () => {
  test('goes out as it came when its table is empty', async () => {
    const request = await build(form({}), upload(FORM));
    expect(await textOf(request)).toBe(FORM);
    expect(request.headers['content-type']).toBe('multipart/form-data; boundary=x');
    expect(request).toMatchObject({ body: undefined, streamed: { bytes: FORM.length, replayable: true } });
  });

  test.for<[rule: string, fields: FormModel, model: string, isRefused: boolean]>([
    ['names none and has arrived', { model: '', isWhole: true }, '', true],
    ['may name one later', { model: '', isWhole: false }, '', false],
    ['names one', { model: 'small', isWhole: true }, 'small', false],
    ['gets one of the config', { model: '', isWhole: true }, 'of-config', false],
  ])('for an upstream without a model of its own, which $0', async ([, fields, model, isRefused]) => {
    const built = build(form({ needsModel: true }), { ...upload(FORM), fields } as Upload, { model });
    if (isRefused) await expect(built).rejects.toMatchObject({ code: 'MODEL_REQUIRED', param: 'model' });
    else expect(await textOf(await built)).toBe(FORM);
    expect(await textOf(await build(form({}), { ...upload(FORM), fields } as Upload, { model }))).toBe(FORM);
  });

  test('has its fields renamed, left out and set, and its files as they were', async () => {
    const table: FormTable = {
      rename: { file: 'audio' },
      drop: ['format'],
      set: ({ model }) => ({ model, language: 'en' }),
    };
    const request = await build(form(table), upload(FORM), { model: 'vendor-small' });
    const b = 'z'.repeat(32);
    expect(request.headers['content-type']).toBe(`multipart/form-data; boundary=${b.replaceAll('z', '0')}`);
    expect((await textOf(request)).replaceAll('0'.repeat(32), b)).toBe(
      [
        `--${b}\r\ncontent-disposition: form-data; name="model"\r\n\r\nvendor-small\r\n`,
        `--${b}\r\ncontent-disposition: form-data; name="language"\r\n\r\nen\r\n`,
        `--${b}\r\ncontent-disposition: form-data; name="audio"; filename="a.mp3"\r\ncontent-type: audio/mpeg\r\n\r\nsound\r\n`,
        `--${b}--\r\n`,
      ].join(''),
    );
    expect(request.streamed?.bytes).toBeUndefined();
    expect(await textOf(request), 'a second try sends it again').toContain('sound');
  });

  test('goes out as it came when there is nothing to set', async () => {
    expect(await textOf(await build(form({ set: () => ({}) }), upload(FORM)))).toBe(FORM);
  });

  test('that is malformed breaks off', async () => {
    const request = await build(form({ drop: ['a'] }), upload(FORM.slice(0, -9)));
    await expect(textOf(request)).rejects.toMatchObject({ code: 'BODY_NOT_FORM', param: 'format' });
  });

  test.for([undefined, upload('x', 'audio/mpeg')])('is asked for', async (body) => {
    await expect(build(form({ drop: ['a'] }), body)).rejects.toMatchObject({
      code: 'CONTENT_TYPE_INVALID',
      message: expect.stringContaining('upload takes multipart/form-data'),
    });
  });
});

describe('bytes', () => {
  test('go out as they came, with their type', async () => {
    const request = await build({ kind: 'binary' }, upload('sound', 'audio/mpeg'));
    expect(await textOf(request)).toBe('sound');
    expect(request.headers).toMatchObject({ 'content-type': 'audio/mpeg', authorization: 'Bearer K' });
  });

  test('are asked for', async () => {
    await expect(build({ kind: 'binary' }, undefined)).rejects.toMatchObject({ code: 'CONTENT_TYPE_INVALID' });
  });
});
