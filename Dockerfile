# Gnomon's program and Python package on Debian 12, from the packages of this tree, which are built in the first stage.
#
#   docker build -t gnomon .
#   docker run --rm -v "$PWD:/work" gnomon run four-bar.toml --rtol 1e-8 --plot four-bar.svg
FROM debian:12 AS build
ENV DEBIAN_FRONTEND=noninteractive
RUN apt-get update && apt-get install -y --no-install-recommends dpkg-dev
COPY . /build/gnomon
WORKDIR /build/gnomon
RUN apt-get build-dep -y --no-install-recommends -P nodoc,nocheck .
RUN DEB_BUILD_PROFILES="nodoc nocheck" DEB_BUILD_OPTIONS="nodoc nocheck noautodbgsym parallel=$(nproc)" \
    dpkg-buildpackage -us -uc -b

FROM debian:12-slim
COPY --from=build /build/*.deb /tmp/packages/
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends gnuplot-nox \
      /tmp/packages/libgnomon[0-9]*_*.deb /tmp/packages/gnomon_*.deb /tmp/packages/python3-gnomon_*.deb && \
    rm -rf /tmp/packages /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["gnomon"]
