/** Prices in US dollars per million tokens, as providers list them. */
import { z } from 'zod';
import { price as usd } from '../../schema/index.ts';

const price = (description: string) => usd(description).optional();

/** US dollars per million tokens. */
export const tokenPrices = {
  request: price('request is the price of prompt tokens.'),
  response: price('response is the price of completion tokens.'),
  cacheReadInput: price('cacheReadInput is the price of prompt tokens read from the cache of the provider.'),
  cacheWriteInput: price('cacheWriteInput is the price of prompt tokens written to the cache of the provider.'),
  requestAudio: price('requestAudio is the price of audio tokens of the prompt.'),
  responseAudio: price('responseAudio is the price of audio tokens of the answer.'),
  cacheReadAudioInput: price('cacheReadAudioInput is the price of audio tokens read from the cache of the provider.'),
  requestText: price('requestText is the price of text tokens of an image request.'),
  requestImage: price('requestImage is the price of image tokens of a request.'),
  cachedTextInput: price('cachedTextInput is the price of cached text tokens of an image request.'),
  cachedImageInput: price('cachedImageInput is the price of cached image tokens.'),
  responseText: price('responseText is the price of text tokens of an image answer.'),
};

/** Prices by kind of token. */
export const perMillionTokens = (description: string) => z.strictObject(tokenPrices).meta({ description });
