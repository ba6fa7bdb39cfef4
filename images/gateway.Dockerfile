# `node images/main.ts context` writes the build context, with the same root file system as the image archives.
FROM scratch
ADD root.tar /
COPY gateway.js /app/gateway.js
COPY gateway /app/gateway
ENV PATH=/usr/local/bin:/usr/bin:/bin
ENV NODE_ENV=production
ENV NODE_OPTIONS=--expose-gc
ENV MALLOC_ARENA_MAX=2
ENV MALLOC_MMAP_THRESHOLD_=2097152
ENV MALLOC_TRIM_THRESHOLD_=67108864
USER 65532:65532
ENTRYPOINT ["/usr/bin/node", "/app/gateway.js"]
