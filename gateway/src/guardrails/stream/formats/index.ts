import { isObject } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import { readJson } from '../../../lib/json/index.ts';
import type { StreamProtocol } from '../../../wire/transform/index.ts';
import type { StreamEvent } from '../events.ts';
import { chatFormat, completionFormat } from './chunks.ts';
import type { EventTexts, StreamFormat } from './format.ts';
import { messagesFormat } from './messages.ts';
import { responsesFormat } from './responses.ts';

export type { EventTexts, StreamFormat, TextSlot, TextUse } from './format.ts';

/** Formats whose texts are known. */
export type TextProtocol = Exclude<StreamProtocol, 'events'>;

const FORMATS: Readonly<Record<TextProtocol, () => StreamFormat>> = {
  chat: chatFormat,
  completion: completionFormat,
  messages: messagesFormat,
  responses: responsesFormat,
};

/** For one stream, whose events it is given in their order. */
export const formatOf = (protocol: TextProtocol): StreamFormat => FORMATS[protocol]();

const NO_TEXTS: EventTexts = { data: {}, slots: [], ends: [] };
const LAST: EventTexts = { data: {}, slots: [], ends: 'all' };

/** The texts of an event. Throws UPSTREAM_STREAM_BROKEN for a broken object, whose texts nobody could check. */
export function readTexts(format: StreamFormat, { data }: StreamEvent): EventTexts {
  const texts = textsIn(format, data.trim());
  if (texts.ends === 'all') format.end();
  return texts;
}

function textsIn(format: StreamFormat, text: string): EventTexts {
  if (text === '[DONE]') return LAST;
  if (!text.startsWith('{')) return NO_TEXTS;
  const value = parse(text);
  return isObject(value) ? format.read(value) : NO_TEXTS;
}

function parse(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    throw new AppError('UPSTREAM_STREAM_BROKEN', { detail: 'The provider sent an event that is not valid JSON' });
  }
}
