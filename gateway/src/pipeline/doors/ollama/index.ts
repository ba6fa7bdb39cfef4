export { ollamaChat, ollamaGenerate } from './chat.ts';
export { ollamaEmbed, ollamaEmbeddings } from './embed.ts';
export { ollamaShow } from './show.ts';
export { ollamaTags } from './tags.ts';
