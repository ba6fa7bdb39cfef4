import { deepFreeze } from '@gatehouse/test/kit';
import type { JsonObject } from '../contract.ts';
import { type GeminiRequestOptions, toGeminiBody } from './request.ts';

export const VERTEX: GeminiRequestOptions = {
  model: 'gemini-2.0-flash',
  safetyMember: 'safety_settings',
  labels: true,
};

export const bodyOf = (params: object, over: Partial<GeminiRequestOptions> = {}): JsonObject =>
  toGeminiBody(deepFreeze(params) as JsonObject, { ...VERTEX, ...over });

export const user = (...parts: object[]): object => ({ role: 'user', parts });

export const model = (...parts: object[]): object => ({ role: 'model', parts });

export const text = (value: string): object => ({ text: value });
