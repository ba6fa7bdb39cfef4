# `node images/main.ts context` writes the build context, with the same root file system as the image archives.
FROM scratch
ADD root.tar /
COPY standalone.js /app/standalone.js
COPY standalone /app/standalone
ENV PATH=/usr/local/bin:/usr/bin:/bin
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV GATEHOUSE_ADMIN_HOST=127.0.0.1
WORKDIR /data
USER 65532:65532
ENTRYPOINT ["/usr/bin/node", "/app/standalone.js"]
CMD ["standalone"]
