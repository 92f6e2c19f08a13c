// Marks what the shared library shows: the namespaces of the public headers. Everything else is
// compiled hidden.
#ifndef QUANTGATE_EXPORT_H_
#define QUANTGATE_EXPORT_H_

#define QUANTGATE_EXPORT [[gnu::visibility("default")]]

#endif  // QUANTGATE_EXPORT_H_
