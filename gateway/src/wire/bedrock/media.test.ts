import { describe, expect, test } from 'vitest';
import { remoteUrlsOf } from './index.ts';
import { body, CLAUDE, PNG } from './testing.ts';

describe('a file', () => {
  const file = (members: object) => ({ type: 'file', file: members });
  const image = (url: string) => ({ type: 'image_url', image_url: { url } });
  const document = (format: string, source: object, name = 'document-1') => ({ document: { format, name, source } });
  const bytes = { bytes: 'AA==' };
  const remote = new Map([['https://x.example/a', { mimeType: 'image/gif', data: 'R0=' }]]);

  test.for<{ rule: string; part: object; want: object | undefined }>([
    {
      rule: 'that is an image',
      part: image('data:image/jpg;base64,AA=='),
      want: { image: { format: 'jpeg', source: bytes } },
    },
    {
      rule: 'that is a gif',
      part: image('data:image/gif;base64,AA=='),
      want: { image: { format: 'gif', source: bytes } },
    },
    {
      rule: 'that is a video',
      part: image('data:video/quicktime;base64,AA=='),
      want: { video: { format: 'mov', source: bytes } },
    },
    {
      rule: 'that is a 3gpp video',
      part: image('data:video/3gpp;base64,AA=='),
      want: { video: { format: 'three_gp', source: bytes } },
    },
    { rule: 'that is a document', part: image('data:text/csv;base64,AA=='), want: document('csv', bytes) },
    {
      rule: 'that is plain text',
      part: file({ file_data: 'AA==', mime_type: 'text/plain' }),
      want: document('txt', bytes),
    },
    {
      rule: 'that is Markdown',
      part: file({ file_data: 'AA==', mime_type: 'text/markdown' }),
      want: document('md', bytes),
    },
    {
      rule: 'that is for Word',
      part: file({ file_data: 'AA==', mime_type: 'application/msword' }),
      want: document('doc', bytes),
    },
    {
      rule: 'that is for a later Word',
      part: file({
        file_data: 'AA==',
        mime_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      }),
      want: document('docx', bytes),
    },
    {
      rule: 'that is for Excel',
      part: file({ file_data: 'AA==', mime_type: 'application/vnd.ms-excel' }),
      want: document('xls', bytes),
    },
    {
      rule: 'that is for a later Excel',
      part: file({ file_data: 'AA==', mime_type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' }),
      want: document('xlsx', bytes),
    },
    {
      rule: 'with a name the upstream would refuse',
      part: file({ file_data: 'AA==', filename: 'Q3  report_(v2).pdf' }),
      want: document('pdf', bytes, 'Q3 report-(v2)-pdf'),
    },
    {
      rule: 'in a bucket',
      part: file({ file_url: 's3://b/k.mp4', mime_type: 'video/mp4' }),
      want: { video: { format: 'mp4', source: { s3Location: { uri: 's3://b/k.mp4' } } } },
    },
    {
      rule: 'in a bucket, its type derived from its name',
      part: file({ file_url: 's3://b/k.docx' }),
      want: document('docx', { s3Location: { uri: 's3://b/k.docx' } }),
    },
    {
      rule: 'that is an image in a bucket',
      part: image('s3://b/k'),
      want: { image: { format: 'png', source: { s3Location: { uri: 's3://b/k' } } } },
    },
    {
      rule: 'that was fetched',
      part: image('https://x.example/a'),
      want: { image: { format: 'gif', source: { bytes: 'R0=' } } },
    },
  ])('$rule', ({ part, want }) => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'x' }, part] }];
    const [turn] = body({ messages }, { ...CLAUDE, remote })['messages'] as [{ content: unknown[] }];
    expect(turn.content[1]).toEqual(want);
  });

  test('has a name of its own', () => {
    const part = file({ file_data: 'AA==', filename: 'a' });
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'x' }, part, part, file({ file_data: 'AA==' })] },
    ];
    const [turn] = body({ messages })['messages'] as [{ content: { document?: { name: string } }[] }];
    expect(turn.content.flatMap((block) => block.document?.name ?? [])).toEqual(['a', 'a-2', 'document-3']);
  });

  test('has to be fetched when it lies on the web, once', () => {
    const url = 'https://x.example/a';
    const content = [
      image(url),
      image(url),
      image(PNG),
      image('s3://b/k'),
      file({ file_url: 'http://x.example/b.pdf' }),
    ];
    expect(remoteUrlsOf({ messages: [{ role: 'user', content }] })).toEqual([url, 'http://x.example/b.pdf']);
  });
});
