import { describe, expect, test } from 'vitest';
import { UnsupportedPart } from '../parts/parts.ts';
import { body, CACHE, PNG } from './testing.ts';

describe('a part of a user message', () => {
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBE' };
  const file = (members: object) => ({ type: 'file', file: members });
  const image = (url: string) => ({ type: 'image_url', image_url: { url } });

  test.for<{ rule: string; part: object; want: unknown[] }>([
    {
      rule: 'a data URL',
      part: image(PNG),
      want: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } }],
    },
    {
      rule: 'a data URL with the common misspelling and parameters',
      part: image('data:image/jpg;name=x;base64,AA=='),
      want: [{ type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AA==' } }],
    },
    {
      rule: 'a PDF as data URL',
      part: image('data:application/pdf;base64,JVBE'),
      want: [{ type: 'document', source: pdf }],
    },
    {
      rule: 'an address',
      part: image('https://x.example/a.png'),
      want: [{ type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } }],
    },
    {
      rule: 'a file by address',
      part: file({ file_url: 'https://x.example/a.pdf' }),
      want: [{ type: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } }],
    },
    { rule: 'a file without a type', part: file({ file_data: 'JVBE' }), want: [{ type: 'document', source: pdf }] },
    {
      rule: 'a file as data URL',
      part: file({ file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' }),
      want: [{ type: 'document', source: pdf }],
    },
    {
      rule: 'a text file',
      part: file({ file_data: Buffer.from('grüße').toString('base64'), mime_type: 'text/plain' }),
      want: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'grüße' } }],
    },
    {
      rule: 'an image sent as file',
      part: file({ file_data: 'AA==', mime_type: 'image/webp' }),
      want: [{ type: 'image', source: { type: 'base64', media_type: 'image/webp', data: 'AA==' } }],
    },
    {
      rule: 'an uploaded file',
      part: file({ file_id: 'file_1' }),
      want: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }],
    },
    { rule: 'an empty text', part: { type: 'text', text: '' }, want: [] },
    {
      rule: 'a breakpoint on an image',
      part: { ...image('https://x.example/a.png'), cache_control: CACHE },
      want: [{ type: 'image', source: { type: 'url', url: 'https://x.example/a.png' }, cache_control: CACHE }],
    },
  ])('can be $rule', ({ part, want }) => {
    expect(body({ messages: [{ role: 'user', content: [part] }] })['messages']).toEqual([
      { role: 'user', content: want },
    ]);
  });

  test.for<{ rule: string; role?: string; part: unknown }>([
    { rule: 'audio, which the format has no block for', part: { type: 'input_audio', input_audio: {} } },
    { rule: 'an unknown type', part: { type: 'texxt', text: 'a' } },
    { rule: 'an image without an address', part: image('here') },
    { rule: 'a data URL without base64', part: image('data:image/png,x') },
    { rule: 'a file without content', part: file({ filename: 'a.pdf' }) },
    { rule: 'a text that is none', part: { type: 'text', text: 5 } },
    { rule: 'a value that is no part', part: 'text' },
    { rule: 'an image of the system', role: 'system', part: image('https://x.example/a.png') },
    { rule: 'an image of the assistant', role: 'assistant', part: image('https://x.example/a.png') },
  ])('cannot be $rule', ({ role = 'user', part }) => {
    const content = [{ type: 'text', text: 'x' }, part];
    expect(() => body({ messages: [{ role, content }] })).toThrow(UnsupportedPart);
  });
});
