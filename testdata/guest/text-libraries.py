# want: ["b,c",";","©A","http://a/c",8,"é",["apple","ape"],"a b [...]","Hello there"]
import csv, difflib, html, io, string, textwrap, urllib.parse as u
def run(ctx):
    return [next(csv.reader(io.StringIO('a,"b,c"\n')))[1], csv.Sniffer().sniff("a;b\n1;2\n").delimiter, html.unescape("&copy;&#x41;"), u.urljoin("http://a/b/", "../c"),
            u.urlsplit("http://[::1]:8/").port, u.unquote("%C3%A9"), difflib.get_close_matches("appel", ["ape", "apple"], cutoff=0.7), textwrap.shorten("a b c d e f g", 9),
            string.Template("Hello $who").substitute(who="there")]
