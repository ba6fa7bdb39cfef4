import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import { AppError } from '../../errors/index.ts';
import type { Frame } from '../contract.ts';
import { type FrameReader, MAX_FRAME_BYTES } from './reader.ts';

/** Server-sent events as the HTML standard defines them: LF, CRLF or CR, comments ignored, data lines joined. */
export function createSseReader(): FrameReader {
  const decoder = new StringDecoder('utf8');
  let frames: Frame[] = [];
  const parser = createParser({
    maxBufferSize: MAX_FRAME_BYTES,
    onEvent: ({ event, data }) => frames.push({ event, data }),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw tooLarge();
    },
  });
  const feed = (text: string): readonly Frame[] => {
    parser.feed(text);
    const out = frames;
    frames = [];
    return out;
  };
  return {
    push: (bytes) => feed(decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))),
    end: () => feed(`${decoder.end()}\n\n`),
  };
}

/** For upstreams that separate events by one newline only: every `data:` line is an event. */
export function createSseLinesReader(): FrameReader {
  return createLineReader((line) => {
    if (!line.startsWith('data:')) return undefined;
    const data = line.slice(line[5] === ' ' ? 6 : 5);
    return data === '' ? undefined : { event: undefined, data };
  });
}

/** One JSON document per line; an upstream that sends server-sent events instead is read as well. */
export function createJsonLinesReader(): FrameReader {
  return createLineReader((line) => {
    if (line === '' || line.startsWith(':') || line.startsWith('event:')) return undefined;
    return { event: undefined, data: line.startsWith('data:') ? line.slice(5).trimStart() : line };
  });
}

function createLineReader(toFrame: (line: string) => Frame | undefined): FrameReader {
  const decoder = new StringDecoder('utf8');
  let held = '';
  const cut = (text: string): readonly Frame[] => {
    const lines = (held + text).split('\n');
    held = lines.pop() ?? '';
    if (held.length > MAX_FRAME_BYTES) throw tooLarge();
    return lines.map((line) => toFrame(line.trim())).filter((frame) => frame !== undefined);
  };
  return {
    push: (bytes) => cut(decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))),
    end: () => cut(`${decoder.end()}\n`),
  };
}

const tooLarge = (): AppError =>
  new AppError('UPSTREAM_STREAM_BROKEN', { detail: `An event of the stream is larger than ${MAX_FRAME_BYTES} bytes` });
