// A shared module that is no Gnomon plug-in.
extern "C" int answer() {
  return 42;
}
