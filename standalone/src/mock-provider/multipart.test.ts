import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMultipart } from './multipart.ts';

async function encode(form: FormData): Promise<{ type: string; body: Buffer }> {
  const response = new Response(form);
  return { type: response.headers.get('content-type') ?? '', body: Buffer.from(await response.arrayBuffer()) };
}

test('reads what a client encodes, whatever the bytes of the file', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.string(), async (bytes, value) => {
      const form = new FormData();
      form.append('model', value);
      form.append('file', new File([Uint8Array.from(bytes)], 'a b.wav', { type: 'audio/wav' }));
      const { type, body } = await encode(form);
      const { fields, files } = unwrap(parseMultipart(type, body));
      expect(fields.get('model')).toBe(value.replaceAll(/\r\n|\r|\n/g, '\r\n')); // the encoder does this, by its standard
      expect(files).toMatchObject([{ name: 'file', filename: 'a b.wav', contentType: 'audio/wav' }]);
      expect(files[0]?.bytes.equals(bytes)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

const part = 'Content-Disposition: form-data; name="a"\r\n\r\n1\r\n';

test.for([
  { rule: 'another content type', type: 'application/json', body: '{}' },
  { rule: 'no boundary', type: 'multipart/form-data', body: '' },
  { rule: 'an empty body', type: 'multipart/form-data; boundary=x', body: '' },
  { rule: 'no closing boundary', type: 'multipart/form-data; boundary=x', body: `--x\r\n${part}` },
  { rule: 'a part without a name', type: 'multipart/form-data; boundary=x', body: '--x\r\nA: b\r\n\r\n1\r\n--x--' },
  { rule: 'endless parts', type: 'multipart/form-data; boundary=x', body: `${`--x\r\n${part}`.repeat(1_001)}--x--` },
])('refuses $rule', ({ type, body }) => {
  expect(parseMultipart(type, Buffer.from(body))).toMatchObject({ ok: false });
});
