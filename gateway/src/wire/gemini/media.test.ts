import { describe, expect, test } from 'vitest';
import { UnsupportedPart } from '../parts/parts.ts';
import { remoteMediaOf } from './media.ts';
import type { GeminiRequestOptions } from './request.ts';
import { bodyOf, user } from './testing.ts';

const partsOfUser = (part: object, over: Partial<GeminiRequestOptions> = {}): unknown =>
  bodyOf({ messages: [{ role: 'user', content: [part] }] }, over)['contents'];

describe('Gemini media', () => {
  const PNG = 'data:image/png;base64,aGk=';

  test.for([
    {
      rule: 'a data URL is inline',
      part: { type: 'image_url', image_url: { url: PNG, media_resolution: 'MEDIA_RESOLUTION_LOW' } },
      want: { inlineData: { mimeType: 'image/png', data: 'aGk=' }, mediaResolution: 'MEDIA_RESOLUTION_LOW' },
    },
    {
      rule: 'the short spelling too',
      part: { type: 'image_url', image_url: PNG },
      want: { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
    },
    {
      rule: 'a bucket address is linked, typed by its extension',
      part: { type: 'image_url', image_url: { url: 'gs://b/a.webp?x=.png' } },
      want: { fileData: { mimeType: 'image/webp', fileUri: 'gs://b/a.webp?x=.png' } },
    },
    {
      rule: 'a web address is linked, typed by the client',
      part: { type: 'image_url', image_url: { url: 'https://x.example/a', mime_type: 'image/heic' } },
      want: { fileData: { mimeType: 'image/heic', fileUri: 'https://x.example/a' } },
    },
    {
      rule: 'an address of unknown type has none',
      part: { type: 'image_url', image_url: { url: 'https://x.example/a' } },
      want: { fileData: { fileUri: 'https://x.example/a' } },
    },
    {
      rule: 'anything else is bare base64 of a JPEG',
      part: { type: 'image_url', image_url: { url: '/9j/4AAQ' } },
      want: { inlineData: { mimeType: 'image/jpeg', data: '/9j/4AAQ' } },
    },
    {
      rule: 'mp3',
      part: { type: 'input_audio', input_audio: { data: 'AA', format: 'mp3' } },
      want: { inlineData: { mimeType: 'audio/mp3', data: 'AA' } },
    },
    {
      rule: 'pcm16',
      part: { type: 'input_audio', input_audio: { data: 'AA', format: 'pcm16' } },
      want: { inlineData: { mimeType: 'audio/pcm', data: 'AA' } },
    },
    {
      rule: 'x-m4a',
      part: { type: 'input_audio', input_audio: { data: 'AA', format: 'x-m4a' } },
      want: { inlineData: { mimeType: 'audio/m4a', data: 'AA' } },
    },
    {
      rule: 'x-aac',
      part: { type: 'input_audio', input_audio: { data: 'AA', format: 'x-aac' } },
      want: { inlineData: { mimeType: 'audio/aac', data: 'AA' } },
    },
    {
      rule: 'a full type',
      part: { type: 'input_audio', input_audio: { data: 'AA', format: 'audio/amr' } },
      want: { inlineData: { mimeType: 'audio/amr', data: 'AA' } },
    },
    {
      rule: 'file data with its type',
      part: { type: 'file', file: { file_data: 'data:text/csv;base64,YQ==' } },
      want: { inlineData: { mimeType: 'text/csv', data: 'YQ==' } },
    },
    {
      rule: 'file data typed by its name',
      part: { type: 'file', file: { file_data: 'YQ==', filename: 'notes.txt' } },
      want: { inlineData: { mimeType: 'text/plain', data: 'YQ==' } },
    },
    {
      rule: 'file data of unknown type is a PDF',
      part: { type: 'file', file: { file_data: 'YQ==' } },
      want: { inlineData: { mimeType: 'application/pdf', data: 'YQ==' } },
    },
    {
      rule: 'a file by its address',
      part: { type: 'file', file: { file_url: 'gs://b/report.pdf' } },
      want: { fileData: { mimeType: 'application/pdf', fileUri: 'gs://b/report.pdf' } },
    },
  ])('reads $rule', ({ part, want }) => {
    expect(partsOfUser(part)).toEqual([user(want)]);
  });

  test.for([
    { rule: 'a text that is neither address nor base64', part: { type: 'image_url', image_url: { url: 'not a url' } } },
    { rule: 'an image without an address', part: { type: 'image_url' } },
    { rule: 'audio without data', part: { type: 'input_audio', input_audio: { format: 'mp3' } } },
    { rule: 'a file by its id', part: { type: 'file', file: { file_id: 'f' } } },
    { rule: 'an unknown type', part: { type: 'video_url', video_url: { url: 'https://x.example/a' } } },
  ])('refuses $rule', ({ part }) => {
    expect(() => partsOfUser(part)).toThrow(UnsupportedPart);
  });

  test('inlines what was downloaded', () => {
    const url = 'https://x.example/a.png';
    const media = new Map([[url, { mimeType: 'image/gif', data: 'R0=' }]]);
    const inline = { inlineData: { mimeType: 'image/gif', data: 'R0=' } };
    expect(partsOfUser({ type: 'image_url', image_url: { url } }, { media })).toEqual([user(inline)]);
    expect(partsOfUser({ type: 'file', file: { file_url: url } }, { media })).toEqual([user(inline)]);
  });

  test('names each address that has to be downloaded once', () => {
    const image = (url: string, more: object = {}): object => ({ type: 'image_url', image_url: { url, ...more } });
    const content = [
      image('https://x.example/a', { mime_type: 'image/png' }),
      image('https://x.example/a'),
      image(PNG),
      image('gs://b/o.png'),
      image('https://www.youtube.com/watch?v=1'),
      image('https://youtu.be/1'),
      image('https://generativelanguage.googleapis.com/v1beta/files/1'),
      image('https://'),
      { type: 'file', file: { file_url: 'http://x.example/b.pdf', mime_type: 'application/pdf' } },
      { type: 'file', file: { file_url: 'http://x.example/c.pdf', file_data: 'AA==' } },
    ];
    expect(remoteMediaOf({ messages: [{ role: 'user', content }] })).toEqual([
      { url: 'https://x.example/a', mimeType: 'image/png' },
      { url: 'http://x.example/b.pdf', mimeType: 'application/pdf' },
    ]);
  });
});
